#pragma once
#include "core/round_up.h"
#include "ops/conv/conv2d_problem.h"

namespace stoker::cuda {

// Convolutions with so few weights per filter that memory bandwidth is the limit: a strip of an
// image is in shared memory, the weights (or their gradient) in registers, and tensor cores
// multiply. float16 and bfloat16 are exact in TF32, so one kernel serves all types.
struct Conv2dTiles {
  Conv2dProblem problem;
  DType dtype;
  bool relu = false, bias = false, pooled = false;
  int rows = 1;          // of (pooled) results in a strip
  int filter_tiles = 1;  // of 8 filters, that a block computes

  static constexpr int threads = 128;
  int result_rows() const { return problem.out_height / problem.pool_h; }
  int result_columns() const { return problem.out_width / problem.pool_w; }
  int strips() const { return ceil_div(result_rows(), rows); }  // of an image
  int64_t all_strips() const { return int64_t{problem.batch} * strips(); }
  int filter_blocks() const { return problem.filters / (8 * filter_tiles); }
  int strip_floats() const;
  // Distributes the tiles over blocks as evenly as possible.
  int64_t blocks(int64_t tiles, int64_t per_multiprocessor) const;
  KernelSource source(const char* file) const;  // which includes conv/tiles.cuh
};

// False, with the reason, if the shape does not suit tiles.
bool plan_tiles(const NodeView& node, const Shape& x, const Shape& kernel, Conv2dTiles& tiles,
                std::string& refusal);

// out[i] = the sum over parts of partial[part * size + i]; the first `weights` go to dk, the rest
// to dbias.
std::shared_ptr<Function> sum_parts_function(DType dtype);
void sum_parts(Encoder& encoder, Function& function, void* partial, void* dk, void* dbias,
               int64_t weights, int64_t size, int parts);

}  // namespace stoker::cuda
