#include <limits>

#include "ops/fused_rows.h"
#include "ops/support.h"

// Softmax and what is built on it in float32, a row at a time.
namespace stoker::cpu {
namespace {

bool serves(const NodeView& node, size_t rows_in, std::string& refusal) {
  if (node.in[rows_in].dtype != DType::float32)
    refusal = "computes in float32";
  else if (node.in[rows_in].shape.size() == 0)
    refusal = "the input is empty";
  return refusal.empty();
}

// Exponentials cost four times a sum; rows with few classes are dominated by overhead.
int64_t rows_worth_a_thread(int64_t n) { return grain_for(4 * n + 200); }

void log_softmax_row(const float* x, float* y, int64_t n) {
  const LogSum sum = log_sum_exp(x, n);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] - sum.shift - sum.log_sum;
}

template <void (*row)(const float*, float*, int64_t)>
std::unique_ptr<Kernel> plan_rows(const NodeView& node, std::string& refusal) {
  if (!serves(node, 0, refusal)) return nullptr;
  const int64_t rows = rows_of(node.in[0].shape), n = node.in[0].shape.back();
  return make_kernel([rows, n](void* const* p, void*) {
    parallel_for(rows, rows_worth_a_thread(n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        row(static_cast<const float*>(p[0]) + r * n, static_cast<float*>(p[1]) + r * n, n);
    });
  });
}

float cross_entropy(int64_t label, const float* logits, int64_t n) {
  if (label < 0 || label >= n) return std::numeric_limits<float>::quiet_NaN();
  const LogSum sum = log_sum_exp(logits, n);
  return sum.log_sum - (logits[label] - sum.shift);
}

std::unique_ptr<Kernel> plan_sparse(const NodeView& node, std::string& refusal) {
  if (!serves(node, 1, refusal)) return nullptr;
  const int64_t rows = rows_of(node.in[1].shape), n = node.in[1].shape.back();
  return for_indices(node.in[0].dtype, refusal, [&](auto index) {
    using Label = decltype(index);
    return make_kernel([rows, n](void* const* p, void*) {
      parallel_for(rows, rows_worth_a_thread(n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          static_cast<float*>(p[2])[r] =
              cross_entropy(static_cast<int64_t>(static_cast<const Label*>(p[0])[r]),
                            static_cast<const float*>(p[1]) + r * n, n);
      });
    });
  });
}

const RegisterKernel softmax{"softmax", "simd", optimised, plan_rows<softmax_row>};
const RegisterKernel log_softmax{"log_softmax", "simd", optimised, plan_rows<log_softmax_row>};
const RegisterKernel sparse{"sparse_softmax_cross_entropy", "simd", optimised, plan_sparse};

}  // namespace
}  // namespace stoker::cpu
