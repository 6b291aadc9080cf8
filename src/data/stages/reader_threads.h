#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "data/stage.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {

// Threads that read several cursors ahead. Each cursor is read by one thread at a time, that with
// the fewest elements ready first. An error takes the place of its element; those behind it follow.
class ReaderThreads {
 public:
  class Source {
   public:
    Source(std::unique_ptr<Cursor> cursor, Meter& meter)
        : before_(std::move(cursor)), held_(meter) {}

   private:
    friend class ReaderThreads;
    struct Made {
      Element element;
      std::exception_ptr error;
    };
    std::unique_ptr<Cursor> before_;
    std::deque<Made> ready_;
    Held held_;
    int64_t bytes_each_ = 0;
    bool busy_ = false, done_ = false;
  };

  // No more than `most` threads. The meter's setting limits the elements of a cursor in memory; the
  // buffers of `shares` cursors share the memory that one of automatic size may take.
  ReaderThreads(Meter& meter, int64_t most, int64_t shares);
  ~ReaderThreads();  // waits for the threads
  ReaderThreads(const ReaderThreads&) = delete;
  ReaderThreads& operator=(const ReaderThreads&) = delete;

  // Starts reading. What the cursor uses must outlive the threads, or the cursor's end.
  std::shared_ptr<Source> add(std::unique_ptr<Cursor> cursor);
  bool next(Source& source, Element& element);
  bool ready(const Source& source);  // is there an element, or the end, without waiting?

 private:
  using Lock = std::unique_lock<std::mutex>;
  void start_one();
  void work();
  void read(Source& source, Lock& lock);
  // All require the mutex.
  void put(Source& source, Source::Made made);
  void end(Source& source);
  bool wanted(const Source& source) const;
  std::shared_ptr<Source> most_urgent() const;
  int64_t room(const Source& source) const;

  Meter& meter_;
  const size_t most_;
  const int64_t shares_;
  std::mutex mutex_;
  std::condition_variable work_, made_;  // for the threads, and for those who wait for elements
  std::vector<std::shared_ptr<Source>> sources_;  // that have not ended
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;  // none: the system refused them
};

}  // namespace stoker::data
