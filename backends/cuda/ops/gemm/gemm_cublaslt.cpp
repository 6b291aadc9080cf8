#include <algorithm>

#include "core/round_up.h"
#include "ops/gemm/cublaslt_matmul.h"
#include "ops/layout_text.h"

// GEMM by cuBLASLt, with bias and relu in its epilogue. A mask or an Adam update is a second kernel
// that finds the product in the L2 cache.
namespace stoker::cuda {
namespace {

class BiasStep {
 public:
  explicit BiasStep(const Gemm& p)
      : vector_(vector_of(p)),
        strips_(ceil_div(p.n, 32 * vector_)),
        parts_(parts_of(p)),
        bytes_(round_up(static_cast<uint64_t>(parts_ * p.n) * size_of(accumulator(p)), 256)),
        function_(make_function(
            gemm_source("gemm/bias_step.cuh", p).constant("COLUMN_VECTOR", vector_), "step_bias")) {
  }

  uint64_t workspace() const { return bytes_; }
  const std::shared_ptr<Function>& function() const { return function_; }
  void encode(Encoder& encoder, const GemmArguments& x, void* parts) const {
    encoder.launch(*function_,
                   {.blocks = static_cast<unsigned int>(strips_),
                    .threads = 1024,
                    .blocks_y = static_cast<unsigned int>(parts_)},
                   x, parts);
  }

 private:
  // Columns per lane; fewer if rows are not aligned, or sums would not fit.
  static int64_t vector_of(const Gemm& p) {
    int64_t vector = p.in == DType::float64 ? 1 : p.in == DType::float32 ? 4 : 8;
    while (p.n % vector != 0) vector /= 2;
    return vector;
  }
  int64_t parts_of(const Gemm& p) const {
    if (strips_ > most_split_groups) return 1;
    return std::clamp<int64_t>(current_gpu().multiprocessors / strips_, 1, ceil_div(p.k, 256));
  }
  int64_t vector_, strips_, parts_;
  uint64_t bytes_;
  std::shared_ptr<Function> function_;
};

// The library's product is written to the result, or to the workspace before an Adam update.
std::unique_ptr<Kernel> with_library(const Gemm& p) {
  const DType part = p.adam ? accumulator(p) : p.out;
  const auto product = std::make_shared<CublasltGemm>(p, part, !p.mask && !p.adam);
  const uint64_t part_bytes =
      p.adam ? round_up(static_cast<uint64_t>(p.m * p.n) * size_of(part), 256) : 0;
  const uint64_t workspace = part_bytes + product->workspace();
  if (!p.mask && !p.adam)
    return make_kernel(
        {},
        [=](Encoder& encoder, void* const* arguments, void* scratch) {
          const GemmArguments x = bind(p, arguments);
          product->encode(encoder.gpu(), x, x.out, scratch);
        },
        workspace);
  const Finishing finishing = make_finishing(p, part);
  std::vector<std::shared_ptr<Function>> functions{finishing.function};
  const auto bias = p.bias_step ? std::make_shared<BiasStep>(p) : nullptr;
  if (bias) functions.push_back(bias->function());
  return make_kernel(
      functions,
      [=](Encoder& encoder, void* const* arguments, void* scratch) {
        GemmArguments x = bind(p, arguments);
        x.partial = p.adam ? scratch : x.out;
        void* const behind = static_cast<char*>(scratch) + part_bytes;
        product->encode(encoder.gpu(), x, x.partial, behind);
        finishing.encode(encoder, x);
        if (bias) bias->encode(encoder, x, behind);
      },
      std::max(workspace, part_bytes + (bias ? bias->workspace() : 0)));
}

}  // namespace

std::unique_ptr<Kernel> plan_cublaslt_gemm(const NodeView& node, std::string& refusal) {
  const Gemm p = product_of(node);
  if (!is_floating(p.in))
    refusal = fmt::format("does not compute in {}", name_of(p.in));
  else if (p.empty() || p.k == 0)
    refusal = "an operand is empty";
  else if (!current_gpu().context)
    refusal = "there is no GPU to choose an algorithm for";
  if (!refusal.empty()) return nullptr;
  try {
    return with_library(p);
  } catch (const CudaError& error) {
    refusal = error.what();
    return nullptr;
  }
}

namespace {

const RegisterKernel matmul{"matmul", "cublaslt", optimised, plan_cublaslt_gemm};
const RegisterKernel batch_matmul{"batch_matmul", "cublaslt", optimised, plan_cublaslt_gemm};
const RegisterKernel fused_matmul{"fused_matmul", "cublaslt", optimised, plan_cublaslt_gemm};
const RegisterKernel matmul_adam{"matmul_adam", "cublaslt", optimised, plan_cublaslt_gemm};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "cublaslt", optimised,
                                      plan_cublaslt_gemm};

}  // namespace
}  // namespace stoker::cuda
