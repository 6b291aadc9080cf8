#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainer/stack_spec.h"

namespace stoker::cuda::trainer {

// How a stack is distributed over a cluster: all numbers that the kernel needs.
struct StackLayout {
  int64_t k_splits = 0, n_splits = 0;      // the first layer's weight is split both ways
  int64_t k_rows = 0, units = 0;           // its part in a block: input rows, units
  int64_t unit_warps = 0, k_groups = 0;    // how the compute warps divide it
  int64_t unit_tiles = 0, k_tiles = 0;     // tiles of 16 units, 8 rows per warp
  int64_t sub_batch = 0, sub_batches = 0;  // samples per micro-batch
  int64_t own = 0, owners = 0;             // samples that an owner finishes; blocks that own some
  int64_t rows = 0;                        // sub_batch in whole tiles
  int64_t x_stride = 0, local_stride = 0, delta_stride = 0;
  bool moments_in_registers = true;
  std::vector<int64_t> own_rows, weight_stride, padded_units;  // by layer; the first's are unused
  std::map<std::string, int64_t> offsets;  // bytes into shared memory, by name and layer
  int64_t shared_bytes = 0;
  double cost = 0;  // approximate cycles per step
};

inline constexpr int64_t compute_warps = 8, helper_warps = 4;
inline constexpr int64_t threads = 32 * (compute_warps + helper_warps);

// The cheapest layout that fits, or nothing and the reason.
std::optional<StackLayout> lay_out(const StackSpec& spec, std::string& refusal);

}  // namespace stoker::cuda::trainer
