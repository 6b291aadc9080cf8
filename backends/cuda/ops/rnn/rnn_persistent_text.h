#pragma once
#include <string>

#include "ops/rnn/rnn_problem.h"

namespace stoker::cuda {

// How a recurrence is distributed over a cluster. Each block has `own` units with all their gates,
// its part of the recurrent kernel in registers, and shares `rows` of the batch with the other
// blocks.
struct RnnLayout {
  int cluster, own, rows;
  int k_warps;        // forward: a block's warps split the product's k into so many parts
  int tiles, groups;  // of 16 outputs, and of four packs of 16 bytes along k, per warp
  int stride;         // of rows of sums in shared memory
  int message;        // bytes from each block to each other one in a step
  unsigned int shared_bytes;
  int registers() const { return tiles * groups * 8; }  // of the kernel, per thread
};
inline constexpr int rnn_threads = 256;
// The number of 16-bit values into which a float state or gradient is split before a product in
// float16 or bfloat16.
inline int rnn_parts(DType dtype) { return is_half(dtype) ? 2 : 1; }

RnnLayout lay_out(const RnnProblem& problem, int cluster, int rows);

// The kernel "rnn_persistent" for all steps, forward or backward.
std::string rnn_persistent_text(const RnnProblem& problem, const RnnLayout& layout);

}  // namespace stoker::cuda
