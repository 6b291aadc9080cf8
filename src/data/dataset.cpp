#include "stoker/dataset.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>

#include "data/prefetched.h"
#include "data/tuning/consumer.h"
#include "ledger/loop_input.h"
#include "stoker/interrupt.h"

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
  return data::spec_of_first(stage_);
}

namespace data {

ElementSpec spec_of_first(const StageRef& stage) {
  const InterruptScope interrupts;
  Meter meter;
  meter.setting.fix("elements ahead", 1);
  Element first;
  bool any = false;
  {
    // In a thread that is left if a function does not return and the program is interrupted.
    Prefetched made(stage->open_chosen({}, {.most = 1}), meter, stage);
    any = made.next(first);
  }
  if (interrupted()) throw Interrupted("interrupted while an element was made for its type.");
  if (!any)
    throw InvalidArgument(
        fmt::format("{}: the dataset is empty, so its element type is unknown.", stage->where()));
  return spec_of(first);
}

namespace {

// The elements consumed by a loop. In an AccountScope, the wait for them is booked.
class Looped : public Cursor {
 public:
  Looped(const StageRef& last, std::shared_ptr<Consumer> loop, std::unique_ptr<Cursor> of)
      : consumer_(std::move(loop)), cursor_(std::move(of)) {
    if (!ledger::loop_inputs()) return;
    input_ = ledger::loop_inputs()->of(last, consumer_->statistics());
    pass_ = input_->begin([consumer = consumer_] { return consumer->statistics(); });
  }
  ~Looped() override {
    if (input_) input_->end(pass_);
  }
  bool next(Element& element) override {
    const auto booked = ledger::book_in_loop(ledger::Activity::input);
    const bool there = consumer_->next(*cursor_, element);
    if (booked && input_) input_->add_wait(booked->so_far());
    return there;
  }

 private:
  std::shared_ptr<Consumer> consumer_;  // owns the stages
  std::unique_ptr<Cursor> cursor_;
  std::shared_ptr<ledger::LoopInput> input_;
  int64_t pass_ = 0;
};

}  // namespace
}  // namespace data

Dataset::Iterator Dataset::begin() const {
  auto consumer = std::make_shared<data::Consumer>(stage_);
  {
    const std::lock_guard lock(passes_->mutex);
    passes_->latest = consumer;
  }
  Iterator first;
  first.cursor_ = std::make_shared<data::Looped>(stage_, std::move(consumer),
                                                 stage_->open({.pass = passes_->begun++}));
  first.element_ = std::make_shared<Element>();
  ++first;
  return first;
}

Element Dataset::get_single_element() const {
  Iterator elements = begin();
  if (elements == end())
    throw InvalidArgument(
        fmt::format("get_single_element: {}: the dataset is empty.", stage_->where()));
  Element first = *elements;
  if (++elements != end())
    throw InvalidArgument(fmt::format(
        "get_single_element: {}: the dataset has more than one element.", stage_->where()));
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
int64_t integer_of(const Element& element) {
  const bool is_one = element.structure().is_array() && element.array().size() == 1 &&
                      !element.array().holds_strings();
  const double value = is_one ? element.array().at(0) : 0.5;
  const bool fits = (is_one && element.array().dtype() == DType::int64) ||
                    (value >= -0x1p63 && value < 0x1p63);  // neither NaN nor infinite
  if (!fits || value != std::floor(value))
    throw InvalidArgument(fmt::format("the function returned {}, not an integer{}.",
                                      to_string(spec_of(element)),
                                      is_one ? fmt::format(": {}", value) : ""));
  return element.array().astype(DType::int64).data<int64_t>()[0];
}
void check_taken(const Element& element, size_t takes) {
  if (element.arrays().size() != takes)
    throw InvalidArgument(fmt::format("the function takes {} arrays, but the element {} has {}.",
                                      takes, to_string(spec_of(element)), element.arrays().size()),
                          "take one parameter for each array, or a const Element&.");
}
}  // namespace detail

}  // namespace stoker
