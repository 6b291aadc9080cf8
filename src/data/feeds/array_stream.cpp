#include "data/feeds/array_stream.h"

#include <algorithm>

#include "core/stream_copy.h"
#include "core/thread_pool.h"
#include "data/shuffle.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {

ArrayStream::ArrayStream(const ArraySource& source, const FeedPlan& plan,
                         const device::Device& device, const FeedOptions& options)
    : columns_(source.columns),
      shuffle_(source.shuffle),
      plan_(plan),
      device_(device),
      batch_size_(options.batch_size),
      at_once_(plan.batches_at_once(options.batch_size)),
      to_fill_{.sample = plan.samples} {
  const int64_t rows = plan_.rows(batch_size_) * at_once_;
  StreamSlot::Size size{
      .columns = {}, .gathered = plan_.reads_host ? rows : 0, .slots = plan_.slots};
  for (const Array& column : columns_)
    size.columns.push_back(static_cast<uint64_t>(rows) * column.row_bytes());
  slots_ = StreamSlot::make(device, size, options.what);
  for (size_t i = 0; i < slots_.size(); ++i) free_.push_back(i);
  if (shuffle_)
    for (Order& order : orders_) order.samples.resize(static_cast<size_t>(samples()));
  bytes_.resize(columns_.size());
  inputs_.resize(columns_.size());
  strides_.resize(columns_.size());
  thread_ = std::thread([this] { work(); });
}

ArrayStream::~ArrayStream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  wait_until_sent(device_, slots_);
}

void ArrayStream::start(const Place& place) {
  release_given();
  const std::lock_guard lock(mutex_);
  if (next_ == place) return;
  ++starts_;
  for (const Chunk& chunk : ready_) free_.push_back(chunk.slot);
  ready_.clear();
  following_.reset();
  next_ = to_fill_ = place;
  changed_.notify_all();
}

void ArrayStream::follow(const Place& place) {
  const std::lock_guard lock(mutex_);
  if (next_.sample < samples()) return;  // the epoch was not finished
  following_ = next_ = place;
  changed_.notify_all();
}

void ArrayStream::next(Batch& batch, int64_t most) {
  if (given_ && given_->given == given_->count) release_given();
  if (!given_) given_ = take_ready();
  Chunk& chunk = *given_;
  const StreamSlot& slot = slots_[chunk.slot];
  batch.rows = chunk.rows;
  batch.first = chunk.from.sample + chunk.given * chunk.rows;
  batch.count = std::min(most, chunk.count - chunk.given);
  batch.after = slot.sent;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const auto bytes = plan_.slice(chunk.rows).here * static_cast<int64_t>(columns_[c].row_bytes());
    inputs_[c] = static_cast<std::byte*>(slot.on_device[c].data()) + chunk.given * bytes;
    strides_[c] = at_once_ > 1 ? bytes : 0;
  }
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  chunk.given += batch.count;
  next_.sample += batch.rows * batch.count;
}

// When the next batch is requested, the previous one has been submitted: its slot is free after
// that run.
void ArrayStream::release_given() {
  if (!given_) return;
  slots_[given_->slot].read = device::mark(device_);
  const std::lock_guard lock(mutex_);
  free_.push_back(given_->slot);
  given_.reset();
  changed_.notify_all();
}

ArrayStream::Chunk ArrayStream::take_ready() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || error_; });
  if (ready_.empty()) std::rethrow_exception(error_);
  const Chunk chunk = ready_.front();
  ready_.pop_front();
  return chunk;
}

void ArrayStream::work() try {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || (!free_.empty() && has_more()); });
    if (ends_) return;
    const Chunk chunk = take_chunk();
    const uint64_t start = starts_;
    lock.unlock();
    fill(chunk);
    lock.lock();
    if (start == starts_)
      ready_.push_back(chunk);
    else
      free_.push_back(chunk.slot);
    changed_.notify_all();
  }
} catch (...) {
  const std::lock_guard lock(mutex_);
  error_ = std::current_exception();
  changed_.notify_all();
}

// The next batches to fill, and their slot. Requires the mutex.
ArrayStream::Chunk ArrayStream::take_chunk() {
  if (to_fill_.sample >= samples()) to_fill_ = *std::exchange(following_, std::nullopt);
  Chunk chunk{.from = to_fill_, .slot = free_.front()};
  free_.pop_front();
  const int64_t left = samples() - to_fill_.sample;
  chunk.rows = std::min(batch_size_, left);
  chunk.count = std::clamp<int64_t>(left / chunk.rows, 1, at_once_);
  to_fill_.sample += chunk.rows * chunk.count;
  return chunk;
}

void ArrayStream::fill(const Chunk& chunk) {
  StreamSlot& slot = slots_[chunk.slot];
  device::wait(device_, slot.sent);
  number_rows(chunk);
  if (first_epoch_ == -1) first_epoch_ = chunk.from.epoch;
  if (plan_.reads_host && !pinned_ && chunk.from.epoch != first_epoch_) pin_columns();
  if (pinned_ && !pinned_->empty())
    slot.gather(*pinned_, numbers_);
  else
    gather(slot);
}

// Page-locking costs about as much as gathering all rows once or a few times.
void ArrayStream::pin_columns() {
  pinned_.emplace();
  int64_t bytes = 0;
  for (const Array& column : columns_) bytes += static_cast<int64_t>(column.bytes());
  // the operating system needs memory that it can move
  if (bytes > ByteAccount::global().limit() / 2) return;
  for (const Array& column : columns_)
    if (auto rows = device::HostRows::pin(device_, column)) {
      pinned_->push_back(std::move(*rows));
    } else {
      pinned_->clear();
      return;
    }
}

void ArrayStream::number_rows(const Chunk& chunk) {
  numbers_.clear();
  const distribution::Slice slice = plan_.slice(chunk.rows);
  for (int64_t batch = 0; batch < chunk.count; ++batch)
    for (int64_t i = 0; i < slice.here; ++i)
      numbers_.push_back(chunk.from.sample + batch * chunk.rows + slice.first + i);
  if (!shuffle_) return;
  const std::vector<int64_t>& order = order_of(chunk.from);
  for (int64_t& number : numbers_) number = order[static_cast<size_t>(number)];
}

// In more parts than threads, so that other threads take over parts of a slow one.
void ArrayStream::gather(StreamSlot& slot) {
  constexpr size_t worth_a_thread = size_t{64} << 10, parts_each = 4;
  ThreadPool& pool = ThreadPool::global();
  const std::span<const int64_t> numbers = numbers_;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const size_t row = columns_[c].row_bytes();
    bytes_[c] = numbers.size() * row;
    const size_t parts = std::clamp<size_t>(bytes_[c] / worth_a_thread, 1,
                                            parts_each * static_cast<size_t>(pool.size()));
    pool.run(static_cast<int>(parts), [&](int part) {
      const auto p = static_cast<size_t>(part);
      const size_t begin = numbers.size() * p / parts, end = numbers.size() * (p + 1) / parts;
      stream_rows(slot.host[c].data() + begin * row, columns_[c].raw(),
                  numbers.subspan(begin, end - begin), row);
    });
  }
  slot.send(slot.on_device, bytes_);
}

// The order of the next epoch is drawn while this one's batches are gathered.
const std::vector<int64_t>& ArrayStream::order_of(const Place& place) {
  const auto is_of = [](const Place& wanted) {
    return [&wanted](const Order& order) {
      return order.of.epoch == wanted.epoch && order.of.seed == wanted.seed;
    };
  };
  auto found = std::ranges::find_if(orders_, is_of(place));
  if (found == orders_.end()) {
    found = orders_.begin();
    make(*found, place, std::launch::deferred);
  }
  if (found->made.valid()) found->made.get();
  const Place after{.seed = place.seed, .epoch = place.epoch + 1};
  if (std::ranges::none_of(orders_, is_of(after)))
    make(found == orders_.begin() ? orders_[1] : orders_[0], after, std::launch::async);
  return found->samples;
}

void ArrayStream::make(Order& order, const Place& place, std::launch policy) {
  if (order.made.valid()) order.made.wait();
  order.of = place;
  order.made = std::async(policy, [&samples = order.samples, place, policy] {
    (policy == std::launch::async ? permute_alone : permute)(samples, place.seed, place.epoch);
  });
}

}  // namespace stoker::data
