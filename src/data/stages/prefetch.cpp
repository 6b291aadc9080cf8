#include <fmt/format.h>

#include "data/prefetched.h"
#include "data/start_thread.h"
#include "stoker/interrupt.h"
#include "stoker/say.h"

namespace stoker::data {

Prefetched::Prefetched(std::unique_ptr<Cursor> before, Meter& meter, StageRef last)
    : shared_(std::make_shared<Shared>(std::move(last), std::move(before), meter)) {}

Prefetched::~Prefetched() {
  stop();
  if (!thread_.joinable()) return;
  must_be_left() ? leave() : thread_.join();
}

void Prefetched::stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ends = true;
  }
  shared_->changed.notify_all();
}

// Waits for the thread. A call that does not return must not keep an interrupted program from
// ending.
bool Prefetched::must_be_left() {
  if (!shared_->last) return false;
  auto patience = std::chrono::milliseconds(400);  // after an interrupt
  std::unique_lock lock(shared_->mutex);
  while (patience.count() > 0) {
    if (shared_->changed.wait_for(lock, Patience::pause, [&] { return shared_->done; }))
      return false;
    if (interrupted()) patience -= Patience::pause;
  }
  return true;
}

void Prefetched::leave() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ready.clear();
    shared_->book();
  }
  Workers::leave_global();
  thread_.detach();
  say(stderr, fmt::format("stoker: after the interrupt, the input pipeline is still in {}.\n",
                          calls_in_progress()));
}

void Prefetched::begin() {
  if (!begun()) here_ = !start_thread(thread_, [shared = shared_] { shared->work(); });
}

bool Prefetched::next(Element& element) {
  begin();
  Shared& shared = *shared_;
  if (here_) return shared.before->next(element);
  std::unique_lock lock(shared.mutex);
  if (shared.ready.empty() && !shared.done) {
    const TimedWait timed(shared.meter);
    wait_for_others(lock, shared.changed, [&] { return !shared.ready.empty() || shared.done; });
  }
  if (shared.ready.empty()) return false;
  Made made = std::move(shared.ready.front());
  shared.ready.pop_front();
  shared.book();
  lock.unlock();
  shared.changed.notify_all();
  if (made.error) std::rethrow_exception(std::exchange(made.error, nullptr));
  element = std::move(made.element);
  shared.meter.add_element();
  return true;
}

bool Prefetched::ready() {
  begin();
  const std::lock_guard lock(shared_->mutex);
  return here_ || !shared_->ready.empty() || shared_->done;
}

int64_t Prefetched::skip(int64_t count) {
  return thread_.joinable() ? Cursor::skip(count) : shared_->before->skip(count);
}

void Prefetched::Shared::work() {
  const InPipeline counted;
  const CancelScope cancel(ends);
  for (bool more = true; more;) {
    Made made;
    try {
      more = before->next(made.element);
    } catch (const Cancelled&) {
      break;
    } catch (...) {
      made.error = std::current_exception();
    }
    if ((!more && !made.error) || !put(made)) break;
  }
  before.reset();  // may wait for calls: not in the thread that wants to end
  const std::lock_guard lock(mutex);
  done = true;
  changed.notify_all();
}

int64_t Prefetched::Shared::most() const {
  const Setting& setting = meter.setting;
  return setting.automatic() ? ByteAccount::global().affordable(setting.value, bytes_each)
                             : setting.value.load();
}

bool Prefetched::Shared::put(Made& made) {
  std::unique_lock lock(mutex);
  if (!made.error) bytes_each = bytes_of(made.element);
  changed.wait(lock, [&] { return ends || static_cast<int64_t>(ready.size()) < most(); });
  if (ends) return false;
  ready.push_back(std::move(made));
  book();
  lock.unlock();
  changed.notify_all();
  return true;
}

namespace {

constexpr const char* elements_ahead = "elements ahead";

class Prefetch : public Stage {
 public:
  Prefetch(StageRef before, int64_t buffer, const std::source_location& created)
      : Stage("prefetch", created), before_(std::move(before)), buffer_(buffer) {
    if (buffer_ < 0 && buffer_ != AUTOTUNE)
      throw InvalidArgument(
          fmt::format("{}: buffer_size must be positive or AUTOTUNE, got {}.", where(), buffer_));
    if (buffer_ == AUTOTUNE)
      meter().setting.tune(elements_ahead, Prefetched::first_ahead, Prefetched::most_ahead);
    else
      meter().setting.fix(elements_ahead, buffer_);
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }
  int64_t cardinality() const override { return before_->cardinality(); }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::optional<Batching> batching() const override { return before_->batching(); }
  std::string why_whole() const override { return before_->why_whole(); }
  std::unique_ptr<Cursor> open_rows(const Opening& opening,
                                    const distribution::Division& division) const override {
    return ahead(before_->open_rows(opening, division), opening);
  }
  std::optional<RowsInOrder> rows_in_order() const override { return before_->rows_in_order(); }
  std::shared_ptr<DeviceCache> device_cache(const device::Device& device) const override {
    return before_->device_cache(device);
  }
  // Elements with indices are made ahead by the stage that reads many of them, e.g. batch.
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return before_->index(opening);
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    return ahead(before_->open(opening), opening);
  }
  std::unique_ptr<Cursor> open_chosen(const Opening& opening, const Choice& choice) const override {
    return ahead(before_->open_chosen(opening, choice), opening);
  }
  bool has_take() const override { return before_->has_take(); }
  std::unique_ptr<Cursor> open_past_errors(const Opening& opening) const override {
    if (!has_take()) return Stage::open_past_errors(opening);
    return ahead(before_->open_past_errors(opening), opening);
  }

 private:
  std::unique_ptr<Cursor> ahead(std::unique_ptr<Cursor> cursor, const Opening& opening) const {
    if (buffer_ == 0 || opening.tracks_origins) return cursor;
    return std::make_unique<Prefetched>(std::move(cursor), meter());
  }

  StageRef before_;
  int64_t buffer_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::prefetch(int64_t buffer_size, const From& from) const {
  return Dataset(std::make_shared<data::Prefetch>(stage_, buffer_size, from));
}

}  // namespace stoker
