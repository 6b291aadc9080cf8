#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bench_case.h"

namespace stoker::cli {

// Microseconds a step of each case with each number of threads, as a table on stdout that grows row
// by row. A process has one pool of threads, so each figure comes from a process of its own: this
// program, started with STOKER_NUM_THREADS.
struct ThreadTable {
  std::vector<BenchCase> cases;
  std::vector<int64_t> threads;
  std::vector<std::vector<double>> us;  // one row a case
};
ThreadTable measure_threads(const std::vector<BenchCase>& cases,
                            const std::vector<int64_t>& threads, bool print);

}  // namespace stoker::cli
