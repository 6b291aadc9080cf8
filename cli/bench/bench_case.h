#pragma once
#include <string>
#include <vector>

#include "stoker/model.h"

namespace stoker::cli {

// One network at one batch size, as bench/cases.py lists them.
struct BenchCase {
  std::string name;
  int64_t batch;
  int64_t max_steps;           // of an epoch; bounds the data set
  std::string precision = {};  // a dtype policy; "": float32
  std::string label() const;   // "mlp128 b32"
};
std::vector<BenchCase> bench_cases(bool on_gpu);

// Compiled; throws for an unknown name.
Sequential make_bench_model(const std::string& name, const std::string& precision = {});
ValidationData make_bench_data(const std::string& name, int64_t samples);  // random normal

struct BenchResult {
  double us = 0, min_us = 0, max_us = 0, loss = 0;
  int64_t steps = 0;                                                       // of one timed fit
  int64_t plan_bytes = 0, data_bytes = 0, base_bytes = 0, peak_bytes = 0;  // of memory
};
BenchResult measure(const BenchCase& bench_case);

// The losses of the same network on the same batches, on the CPU and on a device: a fast step must
// also be correct.
struct LossCurves {
  std::vector<double> cpu, device;
  double worst() const;  // largest relative difference
};
LossCurves compare_with_cpu(const BenchCase& bench_case, const std::string& device);

struct Floors {
  double own_gflops = 0, openblas_gflops = 0, copy_gbps = 0;  // OpenBLAS: 0 if it is not installed
};
Floors measure_floors();

}  // namespace stoker::cli
