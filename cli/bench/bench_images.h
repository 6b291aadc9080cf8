#pragma once
#include "bench_case.h"

namespace stoker::cli {

struct ImagesResult {
  double us = 0, images_per_second = 0;
  int64_t steps = 0;
  std::string account;  // with the bottleneck stage
};
// Trains the case's network on the JPEG and PNG files of a folder, with random crops and flips, by
// fit over a dataset.
ImagesResult measure_images(const BenchCase& bench_case, const std::string& folder);

}  // namespace stoker::cli
