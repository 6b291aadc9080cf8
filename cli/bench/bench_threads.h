#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bench_case.h"

namespace stoker::cli {

// Microseconds per step of each case with each number of threads, printed to stdout row by row. A
// process has one thread pool, so each figure is measured in a separate process: this program with
// STOKER_NUM_THREADS.
struct ThreadTable {
  std::vector<BenchCase> cases;
  std::vector<int64_t> threads;
  std::vector<std::vector<double>> us;  // one row per case
};
ThreadTable measure_threads(const std::vector<BenchCase>& cases,
                            const std::vector<int64_t>& threads, bool print);

}  // namespace stoker::cli
