#include "core/round_up.h"
#include "libraries/cudnn_graph.h"
#include "ops/conv/conv2d_problem.h"

// Convolutions by cuDNN. It needs the weights of a filter contiguously, so kernels are transposed
// before and after; they are small.
namespace stoker::cuda {
namespace {

// (height, width, channels, filters) <-> (filters, height, width, channels)
struct Transpose {
  std::shared_ptr<Function> function;
  int rows, columns;
  void encode(Encoder& encoder, void* from, void* to) const {
    encoder.launch(*function, {.blocks = blocks_for(columns, 32), .blocks_y = blocks_for(rows, 32)},
                   from, to, rows, columns);
  }
};

Transpose transpose(DType dtype, int rows, int columns) {
  return {
      make_function(KernelSource("conv/transpose_kernel.cuh").type("T", dtype), "transpose_kernel"),
      rows, columns};
}

struct Borders {
  std::shared_ptr<Function> function;
  Shape from, to;
  int top, left, pack;
  void encode(Encoder& encoder, void* x, void* padded) const {
    const int64_t size = to.size() / pack;
    const auto dim = [](const Shape& shape, int i) { return static_cast<int>(shape[i]); };
    encoder.launch(*function, {.blocks = blocks_for(size, 256)}, x, padded, dim(from, 1),
                   dim(from, 2), dim(from, 3) / pack, top, left, dim(to, 1), dim(to, 2), size);
  }
};

Borders borders(DType dtype, const Shape& x, const std::vector<int64_t>& padding) {
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  const bool packs = x[3] * bytes % 16 == 0;
  const Shape to{x[0], x[1] + padding[0] + padding[1], x[2] + padding[2] + padding[3], x[3]};
  return {make_function(
              KernelSource("conv/add_borders.cuh").type("T", packs ? "int4" : type_name(dtype)),
              "add_borders"),
          x,
          to,
          static_cast<int>(padding[0]),
          static_cast<int>(padding[2]),
          packs ? static_cast<int>(16 / bytes) : 1};
}

std::array<int64_t, 4> channels_second(const Shape& shape) {
  return {shape[0], shape[3], shape[1], shape[2]};
}

CudnnConvolutionSpec spec_of(const NodeView& node, CudnnConvolution kind, const Shape& x,
                             const Shape& kernel, const Shape& y) {
  const auto padding = node.integers("padding");
  return {kind,
          node.in[0].dtype,
          channels_second(x),
          {kernel[3], kernel[2], kernel[0], kernel[1]},
          channels_second(y),
          node.integers("strides"),
          node.integers("dilation"),
          {padding[0], padding[2]},
          {padding[1], padding[3]}};
}

uint64_t rounded(uint64_t bytes) { return round_up(bytes, 256); }

bool serves(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return false;
  if (node.in[0].dtype == DType::float64) refusal = "float64 is left to the plain kernel";
  for (const auto* side : {&node.in, &node.out})
    for (const TensorType& type : *side)
      if (type.shape.size() == 0) refusal = "an operand or the result is empty";
  if (!current_gpu().context || !current_gpu().has_libraries)
    refusal = "there is no GPU that cuDNN runs on";
  return refusal.empty();
}

std::shared_ptr<const CudnnPlan> plan_or_say_why(const CudnnConvolutionSpec& spec,
                                                 std::string& refusal) {
  try {
    return cudnn_plan(current_gpu(), spec);
  } catch (const CudaError& error) {
    refusal = error.what();
    return nullptr;
  }
}

std::unique_ptr<Kernel> taking_turns(std::unique_ptr<Kernel> kernel) {
  kernel->handle = cudnn_handle(current_gpu());
  return kernel;
}

// Both read a kernel: forward from x to y, the input gradient from y to x.
template <CudnnConvolution kind>
std::unique_ptr<Kernel> plan_with_kernel(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const bool forward = kind == CudnnConvolution::forward;
  const Shape &from = node.in[0].shape, &to = node.out[0].shape, &kernel = node.in[1].shape;
  auto plan = plan_or_say_why(spec_of(node, kind, forward ? from : to, kernel, forward ? to : from),
                              refusal);
  if (!plan) return nullptr;
  const uint64_t kernel_bytes = rounded(static_cast<uint64_t>(node.in[1].bytes()));
  const Transpose turn = transpose(node.in[1].dtype, static_cast<int>(kernel.size() / kernel[3]),
                                   static_cast<int>(kernel[3]));
  return taking_turns(make_kernel(
      {turn.function},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        turn.encode(encoder, a[1], workspace);
        void* rest = static_cast<char*>(workspace) + kernel_bytes;
        plan->run(encoder.gpu(), forward ? a[0] : a[2], workspace, forward ? a[2] : a[0], rest);
      },
      kernel_bytes + plan->workspace()));
}

std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  const Shape &kernel = node.out[0].shape, &x = node.in[0].shape;
  const auto padding = node.integers("padding");
  // cuDNN accepts padding that differs between sides, but computes wrong kernel gradients for some
  // shapes.
  const bool uneven = padding[0] != padding[1] || padding[2] != padding[3];
  const Borders around = borders(node.in[0].dtype, x, padding);
  CudnnConvolutionSpec spec = spec_of(node, CudnnConvolution::kernel_grad, uneven ? around.to : x,
                                      kernel, node.in[1].shape);
  if (uneven) spec.before = spec.after = {0, 0};
  auto plan = plan_or_say_why(spec, refusal);
  if (!plan) return nullptr;
  const uint64_t kernel_bytes = rounded(static_cast<uint64_t>(node.out[0].bytes()));
  const uint64_t padded_bytes =
      uneven ? rounded(static_cast<uint64_t>(around.to.size()) * size_of(node.in[0].dtype)) : 0;
  const Transpose turn = transpose(node.out[0].dtype, static_cast<int>(kernel[3]),
                                   static_cast<int>(kernel.size() / kernel[3]));
  return taking_turns(make_kernel(
      {turn.function, around.function},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        char* const padded = static_cast<char*>(workspace) + kernel_bytes;
        if (uneven) around.encode(encoder, a[0], padded);
        plan->run(encoder.gpu(), uneven ? padded : a[0], workspace, a[1], padded + padded_bytes);
        turn.encode(encoder, workspace, a[2]);
      },
      kernel_bytes + padded_bytes + plan->workspace()));
}

const RegisterKernel forward{"conv2d", "cudnn", optimised,
                             plan_with_kernel<CudnnConvolution::forward>};
const RegisterKernel input_grad{"conv2d_input_grad", "cudnn", optimised,
                                plan_with_kernel<CudnnConvolution::input_grad>};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "cudnn", optimised, plan_kernel_grad};

}  // namespace
}  // namespace stoker::cuda
