#include "data/sources/range.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/origins.h"

namespace stoker::data {
namespace {

// At most the largest integer.
int64_t count_of(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // without overflow: modulo 2^64
  const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop),
             by = static_cast<uint64_t>(step);
  const uint64_t count = step > 0 ? (to - from - 1) / by + 1 : (from - to - 1) / (0 - by) + 1;
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(count, most));
}

struct Numbers : Indexed {
  Numbers(int64_t from, int64_t by, int64_t count) : first(from), step(by), total(count) {}
  int64_t size() const override { return total; }
  Element at(int64_t i) const override {
    return Array::scalar(static_cast<int64_t>(
        static_cast<uint64_t>(first) + static_cast<uint64_t>(i) * static_cast<uint64_t>(step)));
  }
  int64_t first, step, total;
};

class Range : public Stage {
 public:
  Range(int64_t start, int64_t stop, int64_t step, const std::source_location& created)
      : Stage("range", created) {
    if (step == 0) throw InvalidArgument(fmt::format("{}: the step is 0.", where()));
    numbers_ = std::make_shared<Numbers>(start, step, count_of(start, stop, step));
  }
  // Without an end.
  Range(const char* name, int64_t start, int64_t step, const std::source_location& created)
      : Stage(name, created),
        numbers_(std::make_shared<Numbers>(start, step, std::numeric_limits<int64_t>::max())),
        endless_(true) {}
  int64_t cardinality() const override {
    return endless_ ? INFINITE_CARDINALITY : numbers_->size();
  }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return opening.numbers_only ? numbered(*this, numbers_) : numbers_;
  }
  std::optional<std::string> identity() const override {
    return fmt::format("{} {}", numbers_->first, numbers_->step);
  }
  std::optional<ElementSpec> spec() const override {
    return spec_of(Element(Array::scalar<int64_t>(0)));
  }

 private:
  std::shared_ptr<const Numbers> numbers_;
  bool endless_ = false;
};

}  // namespace

Dataset counting_from(int64_t start, const std::source_location& created) {
  return Dataset(std::make_shared<Range>("range", start, 1, created));
}

}  // namespace stoker::data

namespace stoker {

Dataset Dataset::range(int64_t stop, const From& from) { return range(0, stop, 1, from); }
Dataset Dataset::range(int64_t start, int64_t stop, int64_t step, const From& from) {
  return Dataset(std::make_shared<data::Range>(start, stop, step, from));
}
Dataset Dataset::counter(int64_t start, int64_t step, const From& from) {
  return Dataset(std::make_shared<data::Range>("counter", start, step, from));
}

}  // namespace stoker
