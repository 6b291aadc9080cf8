#pragma once
#include "ops/attention/attention_text.h"

// Flash attention for float16 and bfloat16 on tensor cores: attention/flash.cuh.
namespace stoker::cuda {

struct FlashShape {
  bool warpgroups = false;
  int step = 64;        // streamed rows at a time
  int blocks_each = 1;  // blocks that should fit on a multiprocessor (occupancy)
  int stages = 2;       // tiles in shared memory, of which all but one are prefetched
};

bool serves_flash(const AttentionProblem& problem, std::string& refusal);
bool has_warpgroups(const AttentionProblem& problem);  // else:
FlashShape plain_shape(const AttentionProblem& problem);

// A file that includes attention/flash.cuh.
std::string flash_source(const char* file, const AttentionProblem& problem,
                         const FlashShape& shape);
LaunchShape flash_launch(const AttentionProblem& problem, const FlashShape& shape, int64_t rows);

}  // namespace stoker::cuda
