#include "stoker/dataset.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "data/tuning/consumer.h"
#include "ledger/loop_input.h"

namespace stoker {

struct Dataset::Passes {
  std::atomic<int64_t> begun = 0;
  std::mutex mutex;
  std::shared_ptr<data::Consumer> latest;  // guarded by the mutex
};

Dataset::Dataset(data::StageRef stage)
    : stage_(std::move(stage)), passes_(std::make_shared<Passes>()) {}

int64_t Dataset::cardinality() const { return stage_->cardinality(); }

ElementSpec Dataset::element_spec() const {
  if (auto spec = stage_->spec()) return *spec;
  Element first;
  if (!stage_->open({})->next(first))
    throw InvalidArgument(
        fmt::format("{}: the dataset has no element to look at.", stage_->where()));
  return spec_of(first);
}

namespace data {
namespace {

// The elements consumed by a loop.
struct Looped : Cursor {
  Looped(std::shared_ptr<Consumer> loop, std::unique_ptr<Cursor> of)
      : consumer(std::move(loop)), cursor(std::move(of)) {}
  bool next(Element& element) override {
    const auto booked = ledger::book_in_loop(ledger::Activity::input);
    return consumer->next(*cursor, element);
  }
  std::shared_ptr<Consumer> consumer;  // owns the stages
  std::unique_ptr<Cursor> cursor;
};

}  // namespace
}  // namespace data

Dataset::Iterator Dataset::begin() const {
  auto consumer = std::make_shared<data::Consumer>(stage_);
  {
    const std::lock_guard lock(passes_->mutex);
    passes_->latest = consumer;
  }
  if (ledger::loop_ledger()) ledger::loop_input() = [consumer] { return consumer->statistics(); };
  Iterator first;
  first.cursor_ =
      std::make_shared<data::Looped>(std::move(consumer), stage_->open({.pass = passes_->begun++}));
  first.element_ = std::make_shared<Element>();
  ++first;
  return first;
}

PipelineStatistics Dataset::statistics() const {
  const std::lock_guard lock(passes_->mutex);
  return passes_->latest ? passes_->latest->statistics() : data::Consumer(stage_).statistics();
}

Dataset::Iterator& Dataset::Iterator::operator++() {
  *element_ = Element();  // its memory may be used for the next batch
  if (!cursor_->next(*element_)) cursor_.reset();
  return *this;
}

namespace detail {
void check_taken(const Element& element, size_t takes) {
  if (element.arrays().size() != takes)
    throw InvalidArgument(fmt::format("the function takes {} arrays, but the element {} has {}.",
                                      takes, to_string(spec_of(element)), element.arrays().size()),
                          "take one parameter for each array, or a const Element&.");
}
}  // namespace detail

}  // namespace stoker
