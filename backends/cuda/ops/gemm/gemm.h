#pragma once
#include <string>

#include "ops/support.h"

// Common part of the kernels of matmul, batch_matmul, fused_matmul and matmul_adam: the problem,
// its arguments, and the epilogue.
namespace stoker::cuda {

struct Gemm {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  bool trans_a = false, trans_b = false;
  DType in = DType::float32,
        out = DType::float32;  // out: of the result, or of an Adam update's states
  bool bias = false, mask = false, relu = false;
  bool adam = false, bias_step = false;  // bias_step: also updates a bias by the sums of b's rows
  double beta_1 = 0, beta_2 = 0, epsilon = 0;

  int64_t lda() const { return trans_a ? m : k; }
  int64_t ldb() const { return trans_b ? k : n; }
  bool empty() const { return m == 0 || n == 0 || batch == 0; }
};
Gemm product_of(const NodeView& node);
std::string key_of(const Gemm& product);  // equal for equal products
double flops_of(const Gemm& product);
bool is_large(const Gemm& product);            // compute-bound
bool is_too_much_to_try(const Gemm& product);  // planning must not take seconds
Gemm small_enough_to_try(Gemm product);        // similar, with the same alignment of rows

// Passed to kernels by value; matches gemm/arguments.cuh.
struct GemmArguments {
  void *a, *b, *bias, *mask, *out;
  void *w, *m, *v, *step, *new_w, *new_m, *new_v;
  void *bias_w, *bias_m, *bias_v, *new_bias_w, *new_bias_m, *new_bias_v;
  void* partial;
  int64_t rows, columns, inner, batch;
  int32_t tiles_across, depth;  // for tiled kernels: tiles per row, k per part
};
GemmArguments bind(const Gemm& product, void* const* arguments, void* partial = nullptr);

// A file that includes gemm/epilogue.cuh.
KernelSource gemm_source(const char* file, const Gemm& product);

// Elements of a row per vectorised access.
int vector_width(const Gemm& product);

// A kernel that adds up `splits` partial sums, contiguous in `partial`, and applies the epilogue.
// `part` is their type; a single part may be in the result's memory.
struct Finishing {
  std::shared_ptr<Function> function;
  int64_t threads, splits;
  void encode(Encoder& encoder, const GemmArguments& arguments) const;
};
Finishing make_finishing(const Gemm& product, DType part, int64_t splits = 1);
DType accumulator(const Gemm& product);  // its accumulator type

// NVRTC's options for square roots and divisions within two ulps.
inline std::vector<std::string> fast_division() {
  return {"--prec-sqrt=false", "--prec-div=false"};
}

}  // namespace stoker::cuda
