#pragma once
#include <string>

#include "ops/support.h"

// src/ops/attention.cpp describes the arrays.
namespace stoker::cuda {

struct AttentionProblem {
  explicit AttentionProblem(const NodeView& node);
  int64_t count, queries, keys, size, values;
  int64_t per_mask = 1,
          mask_rows = 1;  // matrices that share a mask; its rows, 1 or as many as queries
  double scale;
  bool causal, masked;
  DType dtype;
};

// Passed to kernels by value; matches attention/problem.cuh.
struct AttentionArguments {
  void *q, *k, *v, *mask, *out, *logs;
  void *of_out, *of_q, *of_k, *of_v, *delta;
  int64_t count, queries, keys, per_mask, mask_rows;
};
AttentionArguments bind(const AttentionProblem& problem, bool backward, void* const* arguments,
                        void* delta = nullptr);

// A file that includes attention/problem.cuh.
KernelSource attention_source(const char* file, const AttentionProblem& problem);

// Kernels read the log-sum-exps as "attention" writes them, never in float16 or bfloat16.
inline bool refuse_narrow_sums(const NodeView& node, std::string& refusal) {
  if (is_half(node.in[4].dtype)) refusal = "needs the logarithms of the sums in float32";
  return !refusal.empty();
}

}  // namespace stoker::cuda
