#pragma once

#include <cstddef>
#include <cstdint>

#include "core/thread_pool.h"
#include "kernels/adam.h"

namespace stoker::cpu {

enum class Activation { kIdentity, kRelu };

// The epilogue, applied to a sum while it is in registers or L1:
//   c = activation(sum + (accumulate ? c : 0) + bias[n]) * (mask ? mask[m, n] > 0 : 1)
// or, with `adam`, an optimizer update that uses the sum as the gradient of adam->w[m, n].
struct Epilogue {
  const float* bias = nullptr;
  Activation activation = Activation::kIdentity;
  bool accumulate = false;
  const float* mask = nullptr;
  int64_t mask_ld = 0;
  const AdamStep* adam = nullptr;  // its arrays have C's leading dimension
};

// C[m, n] = op(A)[m, k] * op(B)[k, n], row-major; a transposed operand is stored [k, m] or [n, k].
struct GemmProblem {
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  const float* a = nullptr;
  int64_t lda = 0;
  const float* b = nullptr;
  int64_t ldb = 0;
  float* c = nullptr;  // unused with `adam`
  int64_t ldc = 0;
  Epilogue epilogue;
  int sum_shares = 0;  // parts of the sum along k, see sum_order.h
};

// Depends only on sizes, flags and the thread count, so it can be called before pointers are known.
size_t gemm_workspace_bytes(const GemmProblem& problem, ThreadPool& pool = ThreadPool::global());

// The workspace is 64-byte aligned and at least gemm_workspace_bytes(problem) long.
void gemm_run(const GemmProblem& problem, void* workspace, ThreadPool& pool = ThreadPool::global());

}  // namespace stoker::cpu
