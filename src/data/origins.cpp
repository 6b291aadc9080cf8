#include "data/origins.h"

namespace stoker::data {
namespace {

struct Numbered : Indexed {
  Numbered(const Stage& of, std::shared_ptr<const Indexed> all)
      : source(of), elements(std::move(all)) {}
  int64_t size() const override { return elements->size(); }
  Element at(int64_t i) const override { return elements->at(i); }
  std::string file_of(int64_t i) const override { return elements->file_of(i); }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    to.push_back({.source = source.where(), .number = i, .file = file_of(i)});
  }
  const Stage& source;
  std::shared_ptr<const Indexed> elements;
};

template <class Add>
void add_for_row(int64_t row, std::vector<SampleOrigin>& to, Add add) {
  const size_t before = to.size();
  add();
  for (size_t k = before; k < to.size(); ++k) to[k].row = row;
}

struct NumberedBatches : Indexed {
  NumberedBatches(std::shared_ptr<const Indexed> of, int64_t batch_size, bool drop_remainder)
      : rows(std::move(of)), each(batch_size), drops(drop_remainder) {}
  int64_t size() const override {
    const int64_t count = rows->size();
    return count / each + (!drops && count % each != 0 ? 1 : 0);
  }
  Element at(int64_t) const override { throw Internal("a batch of numbers has no elements."); }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    const int64_t first = i * each, end = std::min(rows->size() - first, each);
    for (int64_t row = 0; row < end; ++row)
      add_for_row(row, to, [&] { rows->add_origins(first + row, to); });
  }
  std::shared_ptr<const Indexed> rows;
  int64_t each;
  bool drops;
};

}  // namespace

std::shared_ptr<const Indexed> numbered(const Stage& source,
                                        std::shared_ptr<const Indexed> elements) {
  return std::make_shared<Numbered>(source, std::move(elements));
}
std::shared_ptr<const Indexed> numbered_batches(std::shared_ptr<const Indexed> rows, int64_t size,
                                                bool drop_remainder) {
  if (!rows) return nullptr;
  return std::make_shared<NumberedBatches>(std::move(rows), size, drop_remainder);
}

void add_origins_of_row(const Cursor& cursor, int64_t row, std::vector<SampleOrigin>& to) {
  add_for_row(row, to, [&] { cursor.add_origins(to); });
}

}  // namespace stoker::data
