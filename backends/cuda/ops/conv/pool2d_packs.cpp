#include "ops/conv/conv2d_problem.h"

// Max-pooling of images whose channels can be read 16 bytes at a time: a thread per pixel and pack.
namespace stoker::cuda {
namespace {

constexpr int most_places = 32;  // a window's loop is unrolled

int pack_of(DType dtype) { return 16 / static_cast<int>(size_of(dtype)); }

bool serves(const NodeView& node, const Conv2dProblem& p, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  const int64_t items = std::max(p.images(), p.outputs());
  if (!is_floating(dtype) || dtype == DType::float64)
    refusal = "float32, float16 and bfloat16 only";
  else if (p.channels % pack_of(dtype) != 0)
    refusal = fmt::format("needs a multiple of {} channels, got {}", pack_of(dtype), p.channels);
  else if (p.kernel_h * p.kernel_w > most_places)
    refusal = fmt::format("takes windows of up to {}", most_places);
  else if (items == 0 || items >= int64_t{1} << 32)
    refusal = "needs between 1 and 2^32 elements";
  for (const int64_t padding : node.integers("padding"))
    if (padding >= std::min(p.kernel_h, p.kernel_w))
      refusal = "needs padding smaller than the window";
  return refusal.empty();
}

std::string source_for(const Conv2dProblem& p, DType dtype) {
  return KernelSource("conv/max_pool2d_packs.cuh")
      .type("T", dtype)
      .constant("H", p.height)
      .constant("W", p.width)
      .constant("C", p.channels)
      .constant("OH", p.out_height)
      .constant("OW", p.out_width)
      .constant("KH", p.kernel_h)
      .constant("KW", p.kernel_w)
      .constant("SH", p.stride_h)
      .constant("SW", p.stride_w)
      .constant("PT", p.pad_top)
      .constant("PL", p.pad_left);
}

std::unique_ptr<Kernel> plan_packs(const NodeView& node, const Conv2dProblem& p, const char* entry,
                                   std::string& refusal) {
  if (!serves(node, p, refusal)) return nullptr;
  auto function = make_function(source_for(p, node.in[0].dtype), entry);
  const int64_t items = node.out[0].shape.size() / pack_of(node.in[0].dtype);
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(items)}, a[0], a[1], a[2],
                   static_cast<unsigned int>(items));
  });
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  return plan_packs(node, pool2d_problem(node, node.in[0].shape, node.out[0].shape),
                    "max_pool2d_packs", refusal);
}
std::unique_ptr<Kernel> plan_max_grad(const NodeView& node, std::string& refusal) {
  return plan_packs(node, pool2d_problem(node, node.out[0].shape, node.in[0].shape),
                    "max_pool2d_packs_grad", refusal);
}

const RegisterKernel max{"max_pool2d", "packs", optimised, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "packs", optimised, plan_max_grad};

}  // namespace
}  // namespace stoker::cuda
