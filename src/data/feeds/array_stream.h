#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "data/feeds/array_source.h"
#include "data/feeds/stream_slots.h"

namespace stoker::data {

// Streams arrays that are too large for a device: a background thread gathers and sends batches
// ahead of the steps, several small ones together, and continues with the next epoch as soon as it
// is known.
class ArrayStream {
 public:
  // A position in the data: an epoch, whose order is a function of (seed, epoch), and the first
  // sample in it.
  struct Place {
    uint64_t seed = 0;
    int64_t epoch = -1, sample = 0;
    bool operator==(const Place&) const = default;
  };
  ArrayStream(const ArraySource& source, const FeedPlan& plan, const device::Device& device,
              const FeedOptions& options);
  ~ArrayStream();  // waits for copies in flight
  ArrayStream(const ArrayStream&) = delete;
  ArrayStream& operator=(const ArrayStream&) = delete;

  // The next batches start here. Batches made ahead are kept if follow() announced this place.
  void start(const Place& place);
  // Announces the place that follows the last batch of this epoch.
  void follow(const Place& place);
  // Sets everything in `batch` except the types; must not be called at the end of an epoch.
  void next(Batch& batch, int64_t most);

 private:
  // Batches of one size that share a slot.
  struct Chunk {
    Place from;
    int64_t rows = 0, count = 0;
    size_t slot = 0;
    int64_t given = 0;  // number of its batches already returned
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

  // Used by the thread that fills slots.
  std::array<Order, 2> orders_;   // of the current epoch, and of the next or previous one
  std::vector<int64_t> numbers_;  // of the samples of a chunk
  std::vector<uint64_t> bytes_;   // by column
  int64_t first_epoch_ = -1;
  // Page-locked columns that the device reads directly from the second epoch on; empty: not
  // supported.
  std::optional<std::vector<device::HostRows>> pinned_;

  // Used by the thread that runs steps.
  std::optional<Chunk> given_;  // the device may be reading it
  Place next_;                  // place of the next batch to return
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;

  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  Place to_fill_;
  std::optional<Place> following_;
  uint64_t starts_ = 0;  // number of calls of start(); chunks begun before the latest are discarded
  std::deque<size_t> free_;
  std::deque<Chunk> ready_;
  std::exception_ptr error_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace stoker::data
