#include "ops/library_product.h"

// Products through cuBLASLt, which adds bias and relu itself. A mask or an Adam step is a second
// kernel that finds the product still in the L2 cache.
namespace stoker::cuda {
namespace {

// Steps the bias with the sums of b's rows: a block adds up 8 columns, a warp 4 rows at a time.
const char* const bias_text = R"cuda(
extern "C" __global__ void __launch_bounds__(1024) step_bias(Arguments x) {
  __shared__ Acc sums[32][8];
  const int64_t column = blockIdx.x * 8ll + threadIdx.x % 8;
  Acc sum = 0;
  if (column < x.columns)
#pragma unroll 8
    for (int64_t k = threadIdx.x / 8; k < x.inner; k += 128) sum += load(x.b[k * x.columns + column]);
  sum += __shfl_xor_sync(0xffffffffu, sum, 8);
  sum += __shfl_xor_sync(0xffffffffu, sum, 16);
  if (threadIdx.x % 32 < 8) sums[threadIdx.x / 32][threadIdx.x % 8] = sum;
  __syncthreads();
  if (threadIdx.x >= 8 || column >= x.columns) return;
  sum = 0;
  for (int i = 0; i < 32; ++i) sum += sums[i][threadIdx.x];
  finish_bias(x, sum, column);
}
)cuda";

// The library's product goes where the result goes, or into the workspace before an Adam step.
std::unique_ptr<Kernel> with_library(const Product& p) {
  const DType part = p.adam ? accumulator(p) : p.out;
  const auto product = std::make_shared<LibraryProduct>(p, part, !p.mask && !p.adam);
  const uint64_t part_bytes =
      p.adam ? (static_cast<uint64_t>(p.m * p.n) * size_of(part) + 255) / 256 * 256 : 0;
  const uint64_t workspace = part_bytes + product->workspace();
  if (!p.mask && !p.adam)
    return make_kernel(
        {},
        [=](Encoder& encoder, void* const* arguments, void* scratch) {
          const ProductArguments x = bind(p, arguments);
          product->encode(encoder.gpu(), x, x.out, scratch);
        },
        workspace);
  const Finishing finishing = make_finishing(p, part);
  std::vector<std::shared_ptr<Function>> functions{finishing.function};
  if (p.bias_step) functions.push_back(make_function(product_text(p) + bias_text, "step_bias"));
  return make_kernel(
      functions,
      [=](Encoder& encoder, void* const* arguments, void* scratch) {
        ProductArguments x = bind(p, arguments);
        x.partial = p.adam ? scratch : x.out;
        product->encode(encoder.gpu(), x, x.partial, static_cast<char*>(scratch) + part_bytes);
        finishing.encode(encoder, x);
        if (p.bias_step)
          encoder.launch(*functions[1], {.blocks = blocks_for(p.n, 8), .threads = 1024}, x);
      },
      workspace);
}

}  // namespace

std::unique_ptr<Kernel> plan_library_product(const NodeView& node, std::string& refusal) {
  const Product p = product_of(node);
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

const RegisterKernel matmul{"matmul", "cublaslt", optimised, plan_library_product};
const RegisterKernel fused_matmul{"fused_matmul", "cublaslt", optimised, plan_library_product};
const RegisterKernel matmul_adam{"matmul_adam", "cublaslt", optimised, plan_library_product};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "cublaslt", optimised,
                                      plan_library_product};

}  // namespace
}  // namespace stoker::cuda
