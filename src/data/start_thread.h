#pragma once
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace stoker::data {

// Set by tests: the system has no more threads.
inline std::atomic<bool> no_thread_starts = false;

// False: the system has none. The work is then done by the thread that waits for it.
template <class Work>
bool start_thread(std::thread& thread, Work work) {
  if (no_thread_starts) return false;
  try {
    thread = std::thread(std::move(work));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace stoker::data
