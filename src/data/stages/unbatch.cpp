#include <fmt/format.h>

#include <algorithm>

#include "data/stage.h"

namespace stoker::data {
namespace {

// The rows of batches, one after the other.
class Rows : public Cursor {
 public:
  Rows(const Stage& stage, std::unique_ptr<Cursor> before)
      : stage_(stage), before_(std::move(before)) {}

  bool next(Element& element) override {
    if (!have()) return false;
    element = batch_;
    for (Array& array : element.arrays())
      array = array.rows(row_, row_ + 1).reshape(array.shape().drop_front());
    ++row_;
    return true;
  }
  int64_t skip(int64_t count) override {
    int64_t done = 0;
    while (done < count && have()) {
      const int64_t some = std::min(count - done, rows_ - row_);
      row_ += some;
      done += some;
    }
    return done;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    std::vector<SampleOrigin> all;
    before_->add_origins(all);
    for (SampleOrigin& origin : all)
      if (origin.row == row_ - 1) {
        origin.row = 0;
        to.push_back(std::move(origin));
      }
  }

 private:
  bool have() {
    while (row_ == rows_) {
      if (!before_->next(batch_)) return false;
      rows_ = at_element(stage_, batches_++, [&] { return rows_of_batch(); });
      row_ = 0;
    }
    return true;
  }
  int64_t rows_of_batch() const {
    const auto& arrays = batch_.arrays();
    for (const Array& array : arrays)
      if (array.shape().rank() == 0 || array.length() != arrays[0].length())
        throw InvalidArgument(
            fmt::format("the element {} is not a batch: its arrays need the same "
                        "first dimension.",
                        to_string(spec_of(batch_))));
    return arrays.empty() ? 0 : arrays[0].length();
  }

  const Stage& stage_;
  std::unique_ptr<Cursor> before_;
  Element batch_;
  int64_t row_ = 0, rows_ = 0, batches_ = 0;
};

class Unbatch : public Stage {
 public:
  Unbatch(StageRef before, const char* name, const std::source_location& created)
      : Stage(name, created), before_(std::move(before)) {
    const auto spec = before_->spec();
    for (size_t i = 0; spec && i < spec->arrays.size(); ++i)
      if (spec->arrays[i].shape.rank() == 0)
        throw InvalidArgument(
            fmt::format("{}: array {} of the elements {} is a scalar, not a batch.", where(), i,
                        to_string(*spec)));
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }
  // Known if all batches have the spec's size.
  int64_t cardinality() const override {
    const int64_t batches = before_->cardinality();
    if (!is_finite(batches) || batches == 0) return batches;
    const auto spec = before_->spec();
    const int64_t rows = spec && !spec->arrays.empty() ? spec->arrays[0].shape[0] : unknown;
    return rows == unknown ? UNKNOWN_CARDINALITY : product_of(batches, rows);
  }
  std::optional<ElementSpec> spec() const override {
    auto spec = before_->spec();
    if (spec)
      for (TensorSpec& array : spec->arrays) array.shape = array.shape.drop_front();
    return spec;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    return std::make_unique<Rows>(*this, before_->open(opening));
  }

 private:
  StageRef before_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::unbatch(const From& from) const {
  return Dataset(std::make_shared<data::Unbatch>(stage_, "unbatch", from));
}

Dataset Dataset::rebatch(int64_t batch_size, const RebatchArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::Unbatch>(stage_, "rebatch", from))
      .batch(batch_size, {.drop_remainder = args.drop_remainder}, from);
}

}  // namespace stoker
