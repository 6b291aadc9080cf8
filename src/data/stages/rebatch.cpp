#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/batch_builder.h"
#include "data/origins.h"

namespace stoker::data {
namespace {

// Batches whose sizes are those of a list, again and again.
class Rebatch : public Stage {
 public:
  Rebatch(StageRef rows, std::vector<int64_t> sizes, bool drops,
          const std::source_location& created)
      : Stage("rebatch", created), rows_(std::move(rows)), sizes_(std::move(sizes)), drops_(drops) {
    if (sizes_.empty() || std::ranges::min(sizes_) < 1)
      throw InvalidArgument(
          fmt::format("{}: batch sizes must be positive, got {}.", where(),
                      sizes_.empty() ? "none" : fmt::format("{}", fmt::join(sizes_, ", "))));
  }
  std::vector<const Stage*> inputs() const override { return {rows_.get()}; }
  std::optional<std::string> identity() const override {
    return fmt::format("{} {}", fmt::join(sizes_, ","), drops_);
  }
  int64_t cardinality() const override {
    const int64_t rows = rows_->cardinality();
    if (!is_finite(rows)) return rows;
    const int64_t round = std::accumulate(sizes_.begin(), sizes_.end(), int64_t{0}, sum_of);
    auto batches = product_of(rows / round, std::ssize(sizes_));
    int64_t left = rows % round;
    for (size_t i = 0; left > 0; left -= sizes_[i++])
      if (left >= sizes_[i] || !drops_) ++batches;
    return batches;
  }
  std::optional<ElementSpec> spec() const override {
    auto spec = rows_->spec();
    if (spec)
      for (TensorSpec& array : spec->arrays) array.shape = array.shape.with_front(unknown);
    return spec;
  }
  int64_t batch_rows() const override { return std::ranges::max(sizes_); }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

  int64_t size(int64_t batch) const { return sizes_[static_cast<size_t>(batch) % sizes_.size()]; }
  bool drops() const { return drops_; }

 private:
  StageRef rows_;
  std::vector<int64_t> sizes_;
  bool drops_;
};

class Rebatched : public Cursor {
 public:
  Rebatched(const Rebatch& stage, std::unique_ptr<Cursor> rows, const Opening& opening)
      : stage_(stage),
        before_(std::move(rows)),
        memory_(opening.memory),
        tracks_origins_(opening.tracks_origins) {}

  bool next(Element& batch) override {
    origins_.clear();
    const int64_t wanted = stage_.size(batches_);
    for (Element row; std::ssize(rows_) < wanted && before_->next(row);) {
      if (tracks_origins_) add_origins_of_row(*before_, std::ssize(rows_), origins_);
      rows_.push_back(std::move(row));
    }
    if (rows_.empty() || (stage_.drops() && std::ssize(rows_) < wanted)) return false;
    batch = call_for_element(stage_, batches_++, [&] { return stacked(); });
    return true;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    to.insert(to.end(), origins_.begin(), origins_.end());
  }

 private:
  Element stacked() {
    const std::vector<Element> rows = std::exchange(rows_, {});
    BatchBuilder builder(spec_of(rows[0]), std::ssize(rows), number_, *memory_);
    for (size_t r = 0; r < rows.size(); ++r) builder.put(static_cast<int64_t>(r), rows[r]);
    number_ += std::ssize(rows);
    return std::move(builder).finish();
  }

  const Rebatch& stage_;
  std::unique_ptr<Cursor> before_;
  std::shared_ptr<BatchMemory> memory_;
  const bool tracks_origins_;
  std::vector<Element> rows_;
  std::vector<SampleOrigin> origins_;  // of the rows
  int64_t number_ = 0, batches_ = 0;
};

std::unique_ptr<Cursor> Rebatch::open(const Opening& opening) const {
  return std::make_unique<Rebatched>(*this, rows_->open(opening), opening);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::rebatch(const std::vector<int64_t>& batch_sizes, const RebatchArgs& args,
                         const From& from) const {
  return Dataset(std::make_shared<data::Rebatch>(unbatch(from).stage(), batch_sizes,
                                                 args.drop_remainder, from));
}

}  // namespace stoker
