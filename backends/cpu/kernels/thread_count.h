#pragma once
#include "core/thread_pool.h"

namespace stoker::cpu {

// The number of threads worth using for this many multiply-adds, with vectors of `lanes`.
inline int threads_for_products(double products, int lanes, int threads) {
  constexpr double grain = 6000;  // vectors
  return worthwhile_threads(static_cast<int64_t>(products / lanes / grain), threads);
}

}  // namespace stoker::cpu
