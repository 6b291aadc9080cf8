#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "data/stage.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {

// A background thread makes elements ahead of time, up to a number of them. It starts with the
// first call of next(), or of begin(). An error takes the place of its element; those behind it
// follow.
class Prefetched : public Cursor {
 public:
  // By default double buffering at first: one element is used while another one is made.
  static constexpr int64_t first_ahead = 2, most_ahead = 32;

  // The meter's setting determines how many; it may change. With `last`, the stage of the cursor,
  // the thread is left behind after an interrupt if it is in a call that does not return.
  Prefetched(std::unique_ptr<Cursor> before, Meter& meter, StageRef last = nullptr);
  ~Prefetched() override;
  void begin();  // starts now
  void stop();   // its elements are no longer needed: the thread ends, for which nothing waits
  bool next(Element& element) override;
  bool ready();  // is there an element, or the end, without waiting?
  int64_t skip(int64_t count) override;

 private:
  struct Made {
    Element element;
    std::exception_ptr error;
  };
  // Kept by the thread, too.
  struct Shared {
    Shared(StageRef stage, std::unique_ptr<Cursor> cursor, Meter& of)
        : last(std::move(stage)), before(std::move(cursor)), meter(of), held(of) {}
    void work();
    bool put(Made& made);  // false: no longer needed
    int64_t most() const;
    void book() { held.set(bytes_each * static_cast<int64_t>(ready.size())); }

    const StageRef last;
    std::unique_ptr<Cursor> before;
    Meter& meter;  // not to be used once `ends` is set
    Held held;
    int64_t bytes_each = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Made> ready;
    bool done = false;
    std::atomic<bool> ends = false;
  };
  bool begun() const { return thread_.joinable() || here_; }
  bool must_be_left();
  void leave();

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
  bool here_ = false;  // no thread could be started: elements are made when they are needed
};

}  // namespace stoker::data
