#include "data/sources/slices.h"

#include <fmt/format.h>

#include "data/origins.h"
#include "io/crc32c.h"

namespace stoker::data {
namespace {

void check_slices(const Element& arrays, const Stage& stage) {
  const auto& all = arrays.arrays();
  if (all.empty()) throw InvalidArgument("from_tensor_slices needs an array.");
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].shape().rank() == 0)
      throw InvalidArgument(
          fmt::format("array {} given to {} is a scalar: it has no rows.", i, stage.where()),
          "from_tensors takes it as one element.");
    if (all[i].length() != all[0].length())
      throw InvalidArgument(
          fmt::format("the arrays given to {} have {} and {} rows: those of arrays 0 and {}.",
                      stage.where(), all[0].length(), all[i].length(), i),
          "all arrays need the same first dimension.");
  }
}

// Over the bytes of all values.
uint32_t checksum(const Element& arrays) {
  uint32_t sum = 0;
  for (const Array& array : arrays.arrays()) {
    if (!array.holds_strings()) {
      sum = crc32c({array.raw(), array.bytes()}, sum);
      continue;
    }
    for (int64_t i = 0; i < array.size(); ++i) {
      const std::string_view text = array.text(i);
      const auto size = static_cast<uint64_t>(text.size());
      sum = crc32c(std::as_bytes(std::span(text)), crc32c(std::as_bytes(std::span(&size, 1)), sum));
    }
  }
  return sum;
}

class Slices : public Stage {
 public:
  Slices(const Element& arrays, const std::source_location& created, bool of_files = false)
      : Stage("from_tensor_slices", created), rows_(std::make_shared<RowsOf>(arrays, of_files)) {
    check_slices(arrays, *this);
  }
  int64_t cardinality() const override { return rows_->size(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return opening.numbers_only ? numbered(*this, rows_) : rows_;
  }
  std::optional<std::string> identity() const override {
    const Element& arrays = *rows_->rows();
    return fmt::format("{} {:08x}", to_string(spec_of(arrays)), checksum(arrays));
  }
  std::optional<RowsInOrder> rows_in_order() const override {
    if (rows_->size() == 0) return std::nullopt;
    return RowsInOrder{.arrays = *rows_->rows(), .of_files = rows_->of_files()};
  }
  std::optional<ElementSpec> spec() const override {
    ElementSpec spec = spec_of(*rows_->rows());
    for (TensorSpec& array : spec.arrays) array.shape = array.shape.drop_front();
    return spec;
  }

 private:
  std::shared_ptr<const RowsOf> rows_;
};

class Single : public Stage {
 public:
  Single(Element element, const std::source_location& created)
      : Stage("from_tensors", created), element_(std::move(element)) {}
  int64_t cardinality() const override { return 1; }
  std::optional<ElementSpec> spec() const override { return spec_of(element_); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    struct One : Indexed {
      explicit One(Element given) : element(std::move(given)) {}
      int64_t size() const override { return 1; }
      Element at(int64_t) const override { return element; }
      Element element;
    };
    auto one = std::make_shared<One>(element_);
    return opening.numbers_only ? numbered(*this, std::move(one)) : one;
  }

 private:
  Element element_;
};

}  // namespace

Element row_of(const Element& arrays, int64_t i) {
  Element row = arrays;
  for (Array& array : row.arrays())
    array = array.rows(i, i + 1).reshape(array.shape().drop_front());
  return row;
}

Dataset slices_of_files(const Element& arrays, const std::source_location& created) {
  return Dataset(std::make_shared<Slices>(arrays, created, true));
}

}  // namespace stoker::data

namespace stoker {

Dataset Dataset::from_tensor_slices(const Element& arrays, const From& from) {
  return Dataset(std::make_shared<data::Slices>(arrays, from));
}
Dataset Dataset::from_tensors(const Element& element, const From& from) {
  return Dataset(std::make_shared<data::Single>(element, from));
}

}  // namespace stoker
