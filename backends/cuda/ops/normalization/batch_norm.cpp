#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Batch normalisation of (rows, channels). A thread has a few neighbouring channels for all its
// rows, so what belongs to a channel stays in registers. Sums are made in two stages: each block
// leaves its part in the workspace, and a warp for each channel joins the parts, always in the same
// order.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 256;

const char* const common_text = R"cuda({vectors}
typedef {type} element_t;
typedef {row_type} row_t;
typedef Compute<element_t>::type value_t;
constexpr int width = {width}, lanes = {lanes}, at_once = 256 / lanes;
constexpr bool relu = {relu}, residual = {residual};
typedef Vec<element_t, width> Pack;
__device__ __forceinline__ Pack pack_at(const element_t* from, int aligned) {{
  return load_vector<width>(from, aligned);
}}
__device__ __forceinline__ void put(element_t* to, const Pack& pack, int aligned) {{
  if (aligned)
    store_vector(to, pack);
  else
    for (int i = 0; i < width; ++i) to[i] = pack.at[i];
}}

// f(row) for the rows of this thread.
template <class F> __device__ __forceinline__ void for_rows(int64_t rows, const F& f) {{
  const int64_t step = int64_t(at_once) * gridDim.y;
  for (int64_t r = int64_t(blockIdx.y) * at_once + threadIdx.x / lanes; r < rows; r += step) f(r);
}}
__device__ __forceinline__ int64_t first_channel() {{
  return (int64_t(blockIdx.x) * lanes + threadIdx.x % lanes) * width;
}}

// Leaves the block's sums of a thread's two values for each channel at parts[block][which][channel].
__device__ __forceinline__ void leave(const value_t* first, const value_t* second, value_t* parts,
                                      int64_t channels) {{
  __shared__ value_t shared[2][256 * width];
  for (int i = 0; i < width; ++i) {{
    shared[0][threadIdx.x * width + i] = first[i];
    shared[1][threadIdx.x * width + i] = second[i];
  }}
  __syncthreads();
  for (int t = threadIdx.x; t < 2 * lanes * width; t += 256) {{
    const int which = t / (lanes * width), at = t % (lanes * width);
    value_t sum = 0;
    for (int row = 0; row < at_once; ++row) sum += shared[which][row * lanes * width + at];
    const int64_t channel = int64_t(blockIdx.x) * lanes * width + at;
    if (channel < channels) parts[(int64_t(blockIdx.y) * 2 + which) * channels + channel] = sum;
  }}
}}
// For one of eight neighbouring channels, so that they share what is read, by 32 threads each.
__device__ __forceinline__ int64_t joined_channel() {{ return int64_t(blockIdx.x) * 8 + threadIdx.x % 8; }}
__device__ __forceinline__ value_t joined(const value_t* parts, int blocks, int which, int64_t channel,
                                          int64_t channels) {{
  __shared__ value_t shared[256];
  value_t sum = 0;
  if (channel < channels)
    for (int b = threadIdx.x / 8; b < blocks; b += 32)
      sum += parts[(int64_t(b) * 2 + which) * channels + channel];
  __syncthreads();
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half >= 8; half /= 2) {{
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }}
  return shared[threadIdx.x % 8];
}}
)cuda";

const char* const forward_text = R"cuda(
// Of what lies above the first row, so that a large mean does not swallow the variance.
extern "C" __global__ void __launch_bounds__(256) sum_up(int64_t rows, int64_t channels,
                                                          const element_t* x, value_t* parts,
                                                          int aligned) {
  const int64_t c = first_channel();
  value_t first[width] = {}, second[width] = {};
  if (c < channels) {
    value_t base[width];
    for (int i = 0; i < width; ++i) base[i] = load(x[c + i]);
    for_rows(rows, [&](int64_t r) {
      const Pack in = pack_at(x + r * channels + c, aligned);
      for (int i = 0; i < width; ++i) {
        const value_t above = load(in.at[i]) - base[i];
        first[i] += above;
        second[i] += above * above;
      }
    });
  }
  leave(first, second, parts, channels);
}

extern "C" __global__ void __launch_bounds__(256)
join(int64_t rows, int64_t channels, const element_t* x, const value_t* parts, int blocks,
     row_t* mean, row_t* variance) {
  const int64_t c = joined_channel();
  const value_t above = joined(parts, blocks, 0, c, channels) / value_t(rows);
  const value_t spread = joined(parts, blocks, 1, c, channels) / value_t(rows) - above * above;
  if (threadIdx.x >= 8 || c >= channels) return;
  mean[c] = store<row_t>(load(x[c]) + above);
  variance[c] = store<row_t>(spread > 0 ? spread : value_t(0));
}

extern "C" __global__ void __launch_bounds__(256)
normalise(int64_t rows, int64_t channels, const element_t* x, const row_t* gamma,
          const row_t* beta, const row_t* mean, const row_t* variance, const element_t* added,
          element_t* y, int aligned, value_t epsilon) {
  const int64_t c = first_channel();
  if (c >= channels) return;
  value_t centre[width], scale[width], shift[width];
  for (int i = 0; i < width; ++i) {
    centre[i] = load(mean[c + i]);
    scale[i] = load(gamma[c + i]) / sqrt(value_t(load(variance[c + i])) + epsilon);
    shift[i] = load(beta[c + i]);
  }
  for_rows(rows, [&](int64_t r) {
    const Pack in = pack_at(x + r * channels + c, aligned);
    Pack out, more;
    if (residual) more = pack_at(added + r * channels + c, aligned);
    for (int i = 0; i < width; ++i) {
      value_t v = (load(in.at[i]) - centre[i]) * scale[i] + shift[i];
      if (residual) v += load(more.at[i]);
      if (relu && v < 0) v = 0;
      out.at[i] = store<element_t>(v);
    }
    put(y + r * channels + c, out, aligned);
  });
}
)cuda";

const char* const backward_text = R"cuda(
struct Channels {
  value_t centre[width], deviation[width], scale[width], shift[width];
  __device__ __forceinline__ Channels(int64_t c, const row_t* mean, const row_t* variance,
                                      const row_t* gamma, const row_t* beta, value_t epsilon) {
    for (int i = 0; i < width; ++i) {
      centre[i] = load(mean[c + i]);
      deviation[i] = sqrt(value_t(load(variance[c + i])) + epsilon);
      scale[i] = load(gamma[c + i]) / deviation[i];
      shift[i] = load(beta[c + i]);
    }
  }
  // The gradient behind the relu, and x above its mean.
  __device__ __forceinline__ value_t passed(int i, element_t dy, element_t x, value_t& above) const {
    above = load(x) - centre[i];
    return relu && !(above * scale[i] + shift[i] > 0) ? value_t(0) : load(dy);
  }
};

extern "C" __global__ void __launch_bounds__(256)
sum_up(int64_t rows, int64_t channels, const element_t* dy, const element_t* x, const row_t* mean,
       const row_t* variance, const row_t* gamma, const row_t* beta, value_t* parts, int aligned,
       value_t epsilon) {
  const int64_t c = first_channel();
  value_t first[width] = {}, second[width] = {};
  if (c < channels) {
    const Channels of(c, mean, variance, gamma, beta, epsilon);
    for_rows(rows, [&](int64_t r) {
      const Pack g = pack_at(dy + r * channels + c, aligned), in = pack_at(x + r * channels + c, aligned);
      for (int i = 0; i < width; ++i) {
        value_t above;
        const value_t gradient = of.passed(i, g.at[i], in.at[i], above);
        first[i] += gradient;
        second[i] += gradient * above;
      }
    });
  }
  leave(first, second, parts, channels);
}

// sums: both, joined, for the kernel that follows.
extern "C" __global__ void __launch_bounds__(256)
join(int64_t, int64_t channels, const value_t* parts, int blocks, const row_t* variance,
     value_t* sums, row_t* dgamma, row_t* dbeta, value_t epsilon) {
  const int64_t c = joined_channel();
  const value_t first = joined(parts, blocks, 0, c, channels), second = joined(parts, blocks, 1, c, channels);
  if (threadIdx.x >= 8 || c >= channels) return;
  sums[c] = first;
  sums[channels + c] = second;
  dbeta[c] = store<row_t>(first);
  dgamma[c] = store<row_t>(second / sqrt(value_t(load(variance[c])) + epsilon));
}

extern "C" __global__ void __launch_bounds__(256)
differentiate(int64_t rows, int64_t channels, const element_t* dy, const element_t* x,
              const row_t* mean, const row_t* variance, const row_t* gamma, const row_t* beta,
              const value_t* sums, element_t* dx, int aligned, value_t epsilon) {
  const int64_t c = first_channel();
  if (c >= channels) return;
  const Channels of(c, mean, variance, gamma, beta, epsilon);
  value_t along_mean[width], along_spread[width];
  for (int i = 0; i < width; ++i) {
    along_mean[i] = sums[c + i] / value_t(rows);
    along_spread[i] =
        sums[channels + c + i] / (value_t(rows) * of.deviation[i] * of.deviation[i]);
  }
  for_rows(rows, [&](int64_t r) {
    const Pack g = pack_at(dy + r * channels + c, aligned), in = pack_at(x + r * channels + c, aligned);
    Pack out;
    for (int i = 0; i < width; ++i) {
      value_t above;
      const value_t gradient = of.passed(i, g.at[i], in.at[i], above);
      out.at[i] = store<element_t>(of.scale[i] *
                                  (gradient - along_mean[i] - above * along_spread[i]));
    }
    put(dx + r * channels + c, out, aligned);
  });
}
)cuda";

struct Layout {
  int64_t rows, channels, element_bytes, width, lanes, groups, parts;
  bool is_double;
  double epsilon;
  std::string text;

  LaunchShape over_rows() const {
    return {.blocks = static_cast<unsigned int>(groups),
            .threads = static_cast<unsigned int>(threads),
            .blocks_y = static_cast<unsigned int>(parts)};
  }
  LaunchShape over_channels() const {
    return {.blocks = static_cast<unsigned int>((channels + 7) / 8),
            .threads = static_cast<unsigned int>(threads)};
  }
  int aligned(std::initializer_list<void*> tensors) const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](void* p) { return is_aligned(p, width * element_bytes); });
  }
  int64_t parts_bytes() const { return parts * 2 * channels * value_bytes(); }
  int64_t value_bytes() const { return is_double ? 8 : 4; }
};

// Whole packs of 16 bytes where the channels allow it; enough blocks to fill the GPU.
Layout layout(const NodeView& node, const TensorType& x, const TensorType& row) {
  Layout l;
  l.rows = rows_of(x.shape);
  l.channels = x.shape.back();
  l.element_bytes = static_cast<int64_t>(size_of(x.dtype));
  l.width = 16 / l.element_bytes;
  while (l.channels % l.width != 0) l.width /= 2;
  l.lanes = std::min<int64_t>(32, lanes_for_row(l.channels / l.width));
  l.groups = (l.channels / l.width + l.lanes - 1) / l.lanes;
  const int64_t at_once = threads / l.lanes;
  const int64_t wanted = std::max<int64_t>(1, 8 * current_gpu().multiprocessors / l.groups);
  l.parts = std::clamp<int64_t>(l.rows / (4 * at_once), 1, std::min<int64_t>(wanted, 1024));
  l.is_double = x.dtype == DType::float64;
  l.epsilon = node.number("epsilon");
  l.text =
      fmt::format(fmt::runtime(common_text), fmt::arg("vectors", vector_helpers),
                  fmt::arg("type", type_name(x.dtype)), fmt::arg("row_type", type_name(row.dtype)),
                  fmt::arg("width", l.width), fmt::arg("lanes", l.lanes),
                  fmt::arg("relu", node.text("activation") == "relu" ? "true" : "false"),
                  fmt::arg("residual", node.flag("residual") ? "true" : "false"));
  return l;
}

bool serves(const TensorType& x, const TensorType& row, std::string& refusal) {
  if (x.shape.size() == 0) refusal = "there is nothing to normalise";
  if (is_half(row.dtype)) refusal = "does not keep means and variances in halves";
  return refusal.empty() && !refuse_non_floats(x.dtype, refusal);
}

// Launches with the sizes first: they are no constants, as a network has many, and each text takes
// NVRTC a fifth of a second.
template <class... Args>
void launch(Encoder& encoder, Function& function, const Layout& l, const LaunchShape& shape,
            Args... args) {
  encoder.launch(function, shape, l.rows, l.channels, args...);
}
// With epsilon as the last argument, in the type that is computed in.
template <class... Args>
void launch_with_epsilon(Encoder& encoder, Function& function, const Layout& l,
                         const LaunchShape& shape, Args... args) {
  if (l.is_double)
    launch(encoder, function, l, shape, args..., l.epsilon);
  else
    launch(encoder, function, l, shape, args..., static_cast<float>(l.epsilon));
}

// x, gamma, beta[, what is added] → y, mean, variance
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[0], node.in[1], refusal)) return nullptr;
  const Layout l = layout(node, node.in[0], node.in[1]);
  const std::string text = l.text + forward_text;
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
  const std::string text = l.text + backward_text;
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
