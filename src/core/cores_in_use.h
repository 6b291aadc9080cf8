#pragma once
#include <atomic>

namespace stoker {

// How many threads of input pipelines work at this moment. Kernels leave a core to each of them. A
// plugin looks at the program's count, whose address it is given as "cores_in_use".
inline std::atomic<int> own_cores_in_use = 0;
inline std::atomic<std::atomic<int>*> cores_in_use = &own_cores_in_use;

// While it lives, this thread of a pipeline uses a core.
class UsesCore {
 public:
  UsesCore() : counts_(!counted) { set(true); }
  ~UsesCore() { set(false); }
  UsesCore(const UsesCore&) = delete;
  UsesCore& operator=(const UsesCore&) = delete;

 private:
  friend class LeavesCore;
  void set(bool to) const {
    if (!counts_) return;
    cores_in_use.load()->fetch_add(to ? 1 : -1, std::memory_order_relaxed);
    counted = to;
  }
  static inline thread_local bool counted = false;
  const bool counts_;
};

// While it lives, such a thread waits for others.
class LeavesCore {
 public:
  LeavesCore() : counted_(UsesCore::counted) {
    if (counted_) cores_in_use.load()->fetch_sub(1, std::memory_order_relaxed);
  }
  ~LeavesCore() {
    if (counted_) cores_in_use.load()->fetch_add(1, std::memory_order_relaxed);
  }
  LeavesCore(const LeavesCore&) = delete;
  LeavesCore& operator=(const LeavesCore&) = delete;

 private:
  const bool counted_;
};

}  // namespace stoker
