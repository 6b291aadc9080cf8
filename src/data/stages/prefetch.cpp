#include <fmt/format.h>

#include "data/prefetched.h"

namespace stoker::data {

Prefetched::~Prefetched() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Prefetched::begin() {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
}

bool Prefetched::next(Element& element) {
  begin();
  std::unique_lock lock(mutex_);
  if (ready_.empty() && !done_) {
    const TimedWait timed(meter_);
    wait_for_others(lock, changed_, [&] { return !ready_.empty() || done_; });
  }
  if (ready_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return false;
  }
  element = std::move(ready_.front());
  ready_.pop_front();
  meter_.add_element();
  book();
  lock.unlock();
  changed_.notify_all();
  return true;
}

int64_t Prefetched::skip(int64_t count) {
  return thread_.joinable() ? Cursor::skip(count) : before_->skip(count);
}

void Prefetched::work() {
  const InPipeline counted;
  const CancelScope cancel(ends_);
  try {
    Element made;
    while (before_->next(made) && put(made)) made = Element();
  } catch (...) {
    error_ = std::current_exception();  // before done_, which is read first
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

int64_t Prefetched::most() const {
  const Setting& setting = meter_.setting;
  return setting.automatic() ? ByteAccount::global().affordable(setting.value, bytes_each_)
                             : setting.value.load();
}
void Prefetched::book() { held_.set(bytes_each_ * static_cast<int64_t>(ready_.size())); }

bool Prefetched::put(Element& element) {
  std::unique_lock lock(mutex_);
  bytes_each_ = bytes_of(element);
  changed_.wait(lock, [&] { return static_cast<int64_t>(ready_.size()) < most() || ends_; });
  if (ends_) return false;
  ready_.push_back(std::move(element));
  book();
  lock.unlock();
  changed_.notify_all();
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
