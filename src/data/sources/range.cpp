#include <fmt/format.h>

#include <algorithm>

#include "data/origins.h"

namespace stoker::data {
namespace {

struct Numbers : Indexed {
  Numbers(int64_t from, int64_t by, int64_t count) : first(from), step(by), total(count) {}
  int64_t size() const override { return total; }
  Element at(int64_t i) const override { return Array::scalar<int64_t>(first + i * step); }
  int64_t first, step, total;
};

class Range : public Stage {
 public:
  Range(int64_t start, int64_t stop, int64_t step, const std::source_location& created)
      : Stage("range", created) {
    if (step == 0) throw InvalidArgument(fmt::format("{}: the step is 0.", where()));
    const int64_t away = step > 0 ? step - 1 : step + 1;  // rounds away from zero
    numbers_ =
        std::make_shared<Numbers>(start, step, std::max<int64_t>(0, (stop - start + away) / step));
  }
  int64_t cardinality() const override { return numbers_->size(); }
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
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::range(int64_t stop, const From& from) { return range(0, stop, 1, from); }
Dataset Dataset::range(int64_t start, int64_t stop, int64_t step, const From& from) {
  return Dataset(std::make_shared<data::Range>(start, stop, step, from));
}

}  // namespace stoker
