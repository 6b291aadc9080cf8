#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace stoker {

// fn(0) ... fn(count - 1), each once, on temporary threads, as many as there are cores: for a few
// long pieces of work, such as compiling. Rethrows the first exception after all have ended.
template <typename F>
void on_threads(size_t count, F fn) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        fn(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> others;
  const size_t most = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < most; ++i) others.emplace_back(work);
  work();
  others.clear();  // joins
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace stoker
