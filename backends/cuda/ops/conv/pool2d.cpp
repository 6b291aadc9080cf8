#include "ops/conv/conv2d_problem.h"

// Pooling of any shape: a thread per result. The ways back gather too, so that overlapping windows
// are summed in a fixed order.
namespace stoker::cuda {
namespace {

constexpr const char* forward_text = R"cuda(
extern "C" __global__ void max_pool2d(Conv c, const T* x, T* y, uint8_t* where, int64_t items) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    const int64_t image = pixel / c.out_width / c.out_height * c.height;
    A best = 0;
    int found = -1;
    for (int place = 0; place < c.kernel_h * c.kernel_w; ++place) {
      const int h = oh * c.stride_h - c.pad_top + place / c.kernel_w;
      const int w = ow * c.stride_w - c.pad_left + place % c.kernel_w;
      if (h < 0 || h >= c.height || w < 0 || w >= c.width) continue;
      const A value = load(x[((image + h) * c.width + w) * c.channels + channel]);
      if (found >= 0 && !(value > best || value != value)) continue;
      best = value;
      found = place;
    }
    y[i] = store<T>(best);
    where[i] = uint8_t(found);
  }
}
)cuda";

constexpr const char* average_text = R"cuda(
extern "C" __global__ void average_pool2d(Conv c, const T* x, T* y, int64_t items) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    const int64_t image = pixel / c.out_width / c.out_height * c.height;
    const Span rows = inside(oh, c.stride_h, c.pad_top, c.kernel_h, c.height);
    const Span columns = inside(ow, c.stride_w, c.pad_left, c.kernel_w, c.width);
    A sum = 0;
    for (int h = rows.first; h < rows.end; ++h)
      for (int w = columns.first; w < columns.end; ++w)
        sum += load(x[((image + h) * c.width + w) * c.channels + channel]);
    y[i] = store<T>(sum / A(count(rows, columns)));
  }
}
)cuda";

constexpr const char* spans_text = R"cuda(
struct Span { int first, end; };
__device__ Span clipped(int first, int end, int length) {
  return Span{first > 0 ? first : 0, end < length ? end : length};
}
// The part of a window that lies in the image.
__device__ Span inside(int position, int stride, int before, int size, int length) {
  const int first = position * stride - before;
  return clipped(first, first + size, length);
}
// The windows that see a pixel.
__device__ Span seen_by(int pixel, int stride, int before, int size, int positions) {
  const int late = pixel + before - size + 1;
  return clipped(late <= 0 ? 0 : (late + stride - 1) / stride, (pixel + before) / stride + 1, positions);
}
__device__ int count(const Span& rows, const Span& columns) {
  const int places = (rows.end - rows.first) * (columns.end - columns.first);
  return places > 0 ? places : 1;  // padding does not count
}
)cuda";

constexpr const char* grad_text = R"cuda(
extern "C" __global__ void pool2d_grad(Conv c, const T* dy, const uint8_t* where, T* dx, int64_t items) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels);
    const int64_t pixel = i / c.channels;
    const int w = int(pixel % c.width), h = int(pixel / c.width % c.height);
    const int64_t image = pixel / c.width / c.height * c.out_height;
    const Span rows = seen_by(h, c.stride_h, c.pad_top, c.kernel_h, c.out_height);
    const Span columns = seen_by(w, c.stride_w, c.pad_left, c.kernel_w, c.out_width);
    A sum = 0;
    for (int oh = rows.first; oh < rows.end; ++oh)
      for (int ow = columns.first; ow < columns.end; ++ow) {
        const int64_t at = ((image + oh) * c.out_width + ow) * c.channels + channel;
        if (AVERAGE) {
          sum += load(dy[at]) / A(count(inside(oh, c.stride_h, c.pad_top, c.kernel_h, c.height),
                                        inside(ow, c.stride_w, c.pad_left, c.kernel_w, c.width)));
        } else {
          // An index outside the window, as a cut-off maximum has, matches no pixel.
          const int place = (h - oh * c.stride_h + c.pad_top) * c.kernel_w + w - ow * c.stride_w + c.pad_left;
          if (where[at] == place) sum += load(dy[at]);
        }
      }
    dx[i] = store<T>(sum);
  }
}
)cuda";

// A window that sees nothing but padding has no maximum.
bool windows_see_the_image(const NodeView& node, std::string& refusal) {
  const auto padding = node.integers("padding"), size = node.integers("pool_size");
  for (size_t i = 0; i < padding.size(); ++i)
    if (padding[i] >= size[i / 2])
      refusal =
          fmt::format("needs padding below the window of {}, got {}", size[i / 2], padding[i]);
  return refusal.empty();
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  if (!windows_see_the_image(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.in[0].shape, node.out[0].shape);
  auto function = make_function(conv2d_text(node.in[0].dtype) + forward_text, "max_pool2d");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1], a[2],
                   p.outputs());
  });
}

std::unique_ptr<Kernel> plan_average(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.in[0].shape, node.out[0].shape);
  auto function =
      make_function(conv2d_text(node.in[0].dtype) + spans_text + average_text, "average_pool2d");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1], p.outputs());
  });
}

// max_pool2d_grad with, average_pool2d_grad without a second input.
std::unique_ptr<Kernel> plan_grad(const NodeView& node, std::string& refusal) {
  const bool average = node.in.size() < 2;
  if (!is_one_float_type(node, refusal)) return nullptr;
  if (!average && !windows_see_the_image(node, refusal)) return nullptr;
  const Conv2dProblem p = pool2d_problem(node, node.out[0].shape, node.in[0].shape);
  auto function =
      make_function(conv2d_text(node.in[0].dtype) + spans_text +
                        fmt::format("#define AVERAGE {}\n", average ? 1 : 0) + grad_text,
                    "pool2d_grad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.images() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.images())}, p, a[0], average ? nullptr : a[1],
                   a[average ? 1 : 2], p.images());
  });
}

const RegisterKernel max{"max_pool2d", "plain", reference, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "plain", reference, plan_grad};
const RegisterKernel average{"average_pool2d", "plain", reference, plan_average};
const RegisterKernel average_grad{"average_pool2d_grad", "plain", reference, plan_grad};

}  // namespace
}  // namespace stoker::cuda
