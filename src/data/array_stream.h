#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "data/array_source.h"
#include "data/stream_slots.h"

namespace stoker::data {

// Arrays that are too large for a device, on their way there: a thread of its own gathers and sends
// batches ahead of the steps, several small ones together, and goes on with the next epoch as soon
// as it is known.
class ArrayStream {
 public:
  // Where batches come from: an epoch's order, which is a function of (seed, epoch), and the first
  // sample in it.
  struct Place {
    uint64_t seed = 0;
    int64_t epoch = -1, sample = 0;
    bool operator==(const Place&) const = default;
  };
  ArrayStream(const ArraySource& source, const FeedPlan& plan, const device::Device& device,
              const FeedOptions& options);
  ~ArrayStream();  // waits for copies that are under way
  ArrayStream(const ArrayStream&) = delete;
  ArrayStream& operator=(const ArrayStream&) = delete;

  // The next batches are these; nothing is lost if follow() has said so.
  void start(const Place& place);
  // After the last batch of this epoch come those from here on.
  void follow(const Place& place);
  // All of `batch` but the types; it must not be called at the end of an epoch.
  void next(Batch& batch, int64_t most);

 private:
  // Batches of one size that share a slot.
  struct Chunk {
    Place from;
    int64_t rows = 0, count = 0;
    size_t slot = 0;
    int64_t given = 0;  // of them
  };
  struct Order {
    Place of;
    std::vector<int64_t> samples;
    std::future<void> made;
  };

  void work();
  bool has_more() const { return to_fill_.sample < samples() || following_; }
  Chunk take_chunk();
  void fill(const Chunk& chunk);
  void pin_columns();
  void number_rows(const Chunk& chunk);
  void gather(StreamSlot& slot);
  const std::vector<int64_t>& order_of(const Place& place);
  void make(Order& order, const Place& place, std::launch policy);
  void release_given();
  Chunk take_ready();
  int64_t samples() const { return plan_.samples; }

  const std::vector<Array> columns_;
  const bool shuffle_;
  const FeedPlan plan_;
  const device::Device device_;
  const int64_t batch_size_, at_once_;
  std::vector<StreamSlot> slots_;

  // Of the thread that fills slots.
  std::array<Order, 2> orders_;   // of its epoch, and of the next or the one before
  std::vector<int64_t> numbers_;  // of the samples of a chunk
  std::vector<uint64_t> bytes_;   // by column
  int64_t first_epoch_ = -1;
  // What the device reads on the host by itself, from the second epoch on; empty: it cannot.
  std::optional<std::vector<device::HostRows>> pinned_;

  // Of the thread that runs steps.
  std::optional<Chunk> given_;  // which the device may be reading
  Place next_;                  // to give
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;

  std::mutex mutex_;  // over all that follows
  std::condition_variable changed_;
  Place to_fill_;
  std::optional<Place> following_;
  uint64_t starts_ = 0;  // chunks that were begun before the latest are of no use
  std::deque<size_t> free_;
  std::deque<Chunk> ready_;
  std::exception_ptr error_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace stoker::data
