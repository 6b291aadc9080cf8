#include "data/stages/reader_threads.h"

#include "data/start_thread.h"

namespace stoker::data {

ReaderThreads::ReaderThreads(Meter& meter, int64_t most, int64_t shares)
    : meter_(meter), most_(static_cast<size_t>(most)), shares_(shares) {}

ReaderThreads::~ReaderThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<ReaderThreads::Source> ReaderThreads::add(std::unique_ptr<Cursor> cursor) {
  auto source = std::make_shared<Source>(std::move(cursor), meter_);
  {
    const std::lock_guard lock(mutex_);
    sources_.push_back(source);
    if (threads_.size() < std::min(most_, sources_.size())) start_one();
  }
  work_.notify_one();
  return source;
}

// Requires the mutex.
void ReaderThreads::start_one() {
  std::thread thread;
  if (start_thread(thread, [this] { work(); })) threads_.push_back(std::move(thread));
}

void ReaderThreads::work() {
  const InPipeline counted;
  const CancelScope cancel(ends_);
  Lock lock(mutex_);
  while (true) {
    std::shared_ptr<Source> source;
    work_.wait(lock, [&] { return ends_ || (source = most_urgent()); });
    if (ends_) return;
    read(*source, lock);
  }
}

// Reads one element, without the lock.
void ReaderThreads::read(Source& source, Lock& lock) {
  source.busy_ = true;
  lock.unlock();
  Source::Made made;
  bool more = true;
  try {
    more = source.before_->next(made.element);
  } catch (...) {
    made.error = std::current_exception();
  }
  if (!more) source.before_.reset();  // may wait for calls
  lock.lock();
  source.busy_ = false;
  more ? put(source, std::move(made)) : end(source);
  made_.notify_all();
}

void ReaderThreads::put(Source& source, Source::Made made) {
  if (!made.error) source.bytes_each_ = bytes_of(made.element);
  source.ready_.push_back(std::move(made));
  source.held_.set(source.bytes_each_ * static_cast<int64_t>(source.ready_.size()));
}

void ReaderThreads::end(Source& source) {
  source.done_ = true;
  std::erase_if(sources_, [&](const auto& other) { return other.get() == &source; });
}

bool ReaderThreads::next(Source& source, Element& element) {
  Lock lock(mutex_);
  if (threads_.empty() && source.ready_.empty() && !source.done_) read(source, lock);
  if (source.ready_.empty() && !source.done_) {
    const TimedWait timed(meter_);
    wait_for_others(lock, made_, [&] { return !source.ready_.empty() || source.done_; });
  }
  if (source.ready_.empty()) return false;
  Source::Made made = std::move(source.ready_.front());
  source.ready_.pop_front();
  source.held_.set(source.bytes_each_ * static_cast<int64_t>(source.ready_.size()));
  lock.unlock();
  work_.notify_one();
  if (made.error) std::rethrow_exception(std::exchange(made.error, nullptr));
  element = std::move(made.element);
  meter_.add_element();
  return true;
}

bool ReaderThreads::ready(const Source& source) {
  const std::lock_guard lock(mutex_);
  return threads_.empty() || !source.ready_.empty() || source.done_;
}

int64_t ReaderThreads::room(const Source& source) const {
  const Setting& setting = meter_.setting;
  const int64_t most =
      setting.automatic()
          ? ByteAccount::global().affordable(setting.value, product_of(source.bytes_each_, shares_))
          : setting.value.load();
  return most - static_cast<int64_t>(source.ready_.size());
}

bool ReaderThreads::wanted(const Source& source) const {
  return !source.busy_ && !source.done_ && room(source) > 0;
}

std::shared_ptr<ReaderThreads::Source> ReaderThreads::most_urgent() const {
  std::shared_ptr<Source> urgent;
  for (const auto& source : sources_)
    if (wanted(*source) && (!urgent || source->ready_.size() < urgent->ready_.size()))
      urgent = source;
  return urgent;
}

}  // namespace stoker::data
