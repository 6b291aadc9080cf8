#include "ops/library_product.h"

// Products through cuBLASLt, which adds bias and relu itself. A mask or an Adam step is a second
// kernel that finds the product still in the L2 cache.
namespace stoker::cuda {
namespace {

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
          product->encode(encoder.gpu(), x.a, x.b, x.bias, x.out, scratch);
        },
        workspace);
  const Finishing finishing = make_finishing(p, part);
  return make_kernel(
      {finishing.function},
      [=](Encoder& encoder, void* const* arguments, void* scratch) {
        ProductArguments x = bind(p, arguments);
        x.partial = p.adam ? scratch : x.out;
        product->encode(encoder.gpu(), x.a, x.b, x.bias, x.partial,
                        static_cast<char*>(scratch) + part_bytes);
        finishing.encode(encoder, x);
      },
      workspace);
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
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

const RegisterKernel matmul{"matmul", "cublaslt", optimised, plan};
const RegisterKernel fused_matmul{"fused_matmul", "cublaslt", optimised, plan};
const RegisterKernel matmul_adam{"matmul_adam", "cublaslt", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
