#pragma once
#include <string>

#include "ops/rnn/rnn_problem.h"

namespace stoker::cuda {

// How a recurrence lies over a cluster. Each block has `own` units with all their gates, its share
// of the recurrent kernel in registers, and `rows` of the batch together with the other blocks.
struct RnnLayout {
  int cluster, own, rows;
  int k_warps;  // forward: a block's warps share the product's inner dimension in so many parts
  int tiles, groups;  // of 16 outputs, and of four packs of 16 bytes along k, that a warp has
  int stride;         // of sums' rows in shared memory
  int message;        // bytes from each block to each in a step
  unsigned int shared_bytes;
  int registers() const { return tiles * groups * 8; }  // of the kernel, by thread
};
inline constexpr int rnn_threads = 256;
// 16-bit numbers that a state or a gradient in float is split into before a product in float16 or
// bfloat16.
inline int rnn_parts(DType dtype) { return is_half(dtype) ? 2 : 1; }

RnnLayout lay_out(const RnnProblem& problem, int cluster, int rows);

// The kernel "rnn_persistent" of all steps, forward or backward.
std::string rnn_persistent_text(const RnnProblem& problem, const RnnLayout& layout);

}  // namespace stoker::cuda
