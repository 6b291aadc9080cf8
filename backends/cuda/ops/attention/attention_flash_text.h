#pragma once
#include "ops/attention/attention_text.h"

// Attention of halves on tensor cores: a warp keeps 16 queries (for the gradients of keys and
// values, 16 keys) in registers and walks over the others, which the block fetches ahead into
// shared memory. Scores exist in registers alone. On Hopper the four warps of a block multiply
// together (wgmma), where heads have 64 or 128 numbers.
namespace stoker::cuda {

struct FlashShape {
  bool warpgroups = false;
  int step = 64;        // rows that pass by at a time
  int blocks_each = 1;  // blocks that a multiprocessor shall have room for
  int stages = 2;       // steps' tiles in shared memory, of which all but one are fetched ahead
};

bool serves_flash(const AttentionProblem& problem, std::string& refusal);
bool has_warpgroups(const AttentionProblem& problem);  // else:
FlashShape plain_shape(const AttentionProblem& problem);

std::string flash_text(const AttentionProblem& problem, const FlashShape& shape,
                       const std::string& kernels);
LaunchShape flash_launch(const AttentionProblem& problem, const FlashShape& shape, int64_t rows);

}  // namespace stoker::cuda
