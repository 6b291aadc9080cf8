#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// Three launches: sums over rows, joining the partial sums, then the result.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 256;

struct Layout {
  int64_t rows, channels, element_bytes, width, lanes, groups, parts;
  bool is_double;
  double epsilon;
  bool relu, residual;
  DType dtype, row_dtype;

  KernelSource source(const char* file) const {
    return KernelSource(file)
        .type("element_t", dtype)
        .type("row_t", row_dtype)
        .constant("width", width)
        .constant("lanes", lanes)
        .constant("relu", relu)
        .constant("residual", residual);
  }
  LaunchShape over_rows() const {
    return {.blocks = static_cast<unsigned int>(groups),
            .threads = static_cast<unsigned int>(threads),
            .blocks_y = static_cast<unsigned int>(parts)};
  }
  LaunchShape over_channels() const {
    return {.blocks = static_cast<unsigned int>(ceil_div(channels, 8)),
            .threads = static_cast<unsigned int>(threads)};
  }
  int aligned(std::initializer_list<void*> tensors) const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](void* p) { return is_aligned(p, width * element_bytes); });
  }
  int64_t parts_bytes() const { return parts * 2 * channels * value_bytes(); }
  int64_t value_bytes() const { return is_double ? 8 : 4; }
};

// Packs of 16 bytes if the channels allow it; enough blocks to fill the GPU.
Layout layout(const NodeView& node, const TensorType& x, const TensorType& row) {
  Layout l;
  l.rows = rows_of(x.shape);
  l.channels = x.shape.back();
  l.element_bytes = static_cast<int64_t>(size_of(x.dtype));
  l.width = 16 / l.element_bytes;
  while (l.channels % l.width != 0) l.width /= 2;
  l.lanes = std::min<int64_t>(32, lanes_for_row(l.channels / l.width));
  l.groups = ceil_div(l.channels / l.width, l.lanes);
  const int64_t at_once = threads / l.lanes;
  const int64_t wanted = std::max<int64_t>(1, 8 * current_gpu().multiprocessors / l.groups);
  l.parts = std::clamp<int64_t>(l.rows / (4 * at_once), 1, std::min<int64_t>(wanted, 1024));
  l.is_double = x.dtype == DType::float64;
  l.epsilon = node.number("epsilon");
  l.dtype = x.dtype;
  l.row_dtype = row.dtype;
  l.relu = node.text("activation") == "relu";
  l.residual = node.flag("residual");
  return l;
}

bool serves(const TensorType& x, const TensorType& row, std::string& refusal) {
  if (x.shape.size() == 0) refusal = "the input is empty";
  if (is_half(row.dtype)) refusal = "does not keep means and variances in float16 or bfloat16";
  return refusal.empty() && !refuse_non_floats(x.dtype, refusal);
}

// Launches with the sizes as arguments: they are not constants, as a network has many, and NVRTC
// takes a fifth of a second per text.
template <class... Args>
void launch(Encoder& encoder, Function& function, const Layout& l, const LaunchShape& shape,
            Args... args) {
  encoder.launch(function, shape, l.rows, l.channels, args...);
}
// With epsilon as the last argument, in the compute type.
template <class... Args>
void launch_with_epsilon(Encoder& encoder, Function& function, const Layout& l,
                         const LaunchShape& shape, Args... args) {
  if (l.is_double)
    launch(encoder, function, l, shape, args..., l.epsilon);
  else
    launch(encoder, function, l, shape, args..., static_cast<float>(l.epsilon));
}

// x, gamma, beta[, residual] → y, mean, variance
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[0], node.in[1], refusal)) return nullptr;
  const Layout l = layout(node, node.in[0], node.in[1]);
  const std::string text = l.source("normalization/batch_norm_forward.cuh");
  const auto sum_up = make_function(text, "sum_up"), join = make_function(text, "join"),
             normalise = make_function(text, "normalise");
  return make_kernel(
      {sum_up, join, normalise},
      [=, residual = node.flag("residual")](Encoder& encoder, void* const* a, void* parts) {
        void* const* out = a + (residual ? 4 : 3);
        const int aligned = l.aligned({a[0], a[3], out[0]});
        launch(encoder, *sum_up, l, l.over_rows(), a[0], parts, aligned);
        launch(encoder, *join, l, l.over_channels(), a[0], parts, static_cast<int>(l.parts), out[1],
               out[2]);
        launch_with_epsilon(encoder, *normalise, l, l.over_rows(), a[0], a[1], a[2], out[1], out[2],
                            a[3], out[0], aligned);
      },
      static_cast<uint64_t>(l.parts_bytes()));
}

// dy, x, mean, variance, gamma, beta → dx, dgamma, dbeta
std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[1], node.in[2], refusal)) return nullptr;
  const Layout l = layout(node, node.in[1], node.in[2]);
  const std::string text = l.source("normalization/batch_norm_backward.cuh");
  const auto sum_up = make_function(text, "sum_up"), join = make_function(text, "join"),
             differentiate = make_function(text, "differentiate");
  return make_kernel(
      {sum_up, join, differentiate},
      [=](Encoder& encoder, void* const* a, void* parts) {
        void* sums = static_cast<char*>(parts) + l.parts_bytes();
        const int aligned = l.aligned({a[0], a[1], a[6]});
        launch_with_epsilon(encoder, *sum_up, l, l.over_rows(), a[0], a[1], a[2], a[3], a[4], a[5],
                            parts, aligned);
        launch_with_epsilon(encoder, *join, l, l.over_channels(), parts, static_cast<int>(l.parts),
                            a[3], sums, a[7], a[8]);
        launch_with_epsilon(encoder, *differentiate, l, l.over_rows(), a[0], a[1], a[2], a[3], a[4],
                            a[5], sums, a[6], aligned);
      },
      static_cast<uint64_t>(l.parts_bytes() + 2 * l.channels * l.value_bytes()));
}

const RegisterKernel forward{"batch_norm", "channels", optimised, plan_forward};
const RegisterKernel backward{"batch_norm_grad", "channels", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cuda
