#include <cstring>

#include "ops/conv/window.h"
#include "ops/support.h"

// Max-pooling with non-overlapping windows without padding: each pixel belongs to at most one
// window, so forward and backward are single passes over rows of channels.
namespace stoker::cpu {
namespace {

struct Problem {
  int64_t batch, height, width, channels, out_height, out_width, rows, columns;

  int64_t pixel(int64_t image, int64_t h, int64_t w) const {
    return ((image * height + h) * width + w) * channels;
  }
  int64_t line(int64_t unit) const { return unit * out_width * channels; }
  int64_t units() const { return batch * out_height; }  // rows of windows
};

bool serves(const NodeView& node, std::string& refusal) {
  const auto size = node.integers("pool_size");
  for (int64_t padding : node.integers("padding"))
    if (padding != 0) refusal = "needs windows without padding";
  if (size != node.integers("strides")) refusal = "needs windows without overlap";
  if (size[0] * size[1] >= 255) refusal = "needs windows below 255";
  if (node.in[0].dtype != DType::float32) refusal = "computes in float32";
  return refusal.empty();
}

Problem problem_of(const NodeView& node, const Shape& x, const Shape& y) {
  const auto size = node.integers("pool_size");
  return {x[0], x[1], x[2], x[3], y[1], y[2], size[0], size[1]};
}

// Ties go to the first maximum; NaN is larger than all numbers.
void take_larger(const float* x, int64_t n, uint8_t place, float* best, uint8_t* where) {
  for (int64_t c = 0; c < n; ++c) {
    const bool larger = x[c] > best[c] || x[c] != x[c];
    best[c] = larger ? x[c] : best[c];
    where[c] = larger ? place : where[c];
  }
}

void pool_line(const Problem& p, int64_t unit, const float* x, float* y, uint8_t* where) {
  const int64_t image = unit / p.out_height, h = unit % p.out_height * p.rows;
  for (int64_t ow = 0; ow < p.out_width; ++ow, y += p.channels, where += p.channels) {
    std::memcpy(y, x + p.pixel(image, h, ow * p.columns),
                static_cast<size_t>(p.channels) * sizeof(float));
    std::memset(where, 0, static_cast<size_t>(p.channels));
    for (int64_t place = 1; place < p.rows * p.columns; ++place)
      take_larger(x + p.pixel(image, h + place / p.columns, ow * p.columns + place % p.columns),
                  p.channels, static_cast<uint8_t>(place), y, where);
  }
}

// Writes every pixel of the window: the gradient at the maximum, else zero. An index outside the
// window, for a maximum that relu cut off, matches no pixel.
void spread_line(const Problem& p, int64_t unit, const float* dy, const uint8_t* where, float* dx) {
  const int64_t image = unit / p.out_height, h = unit % p.out_height * p.rows;
  for (int64_t ow = 0; ow < p.out_width; ++ow, dy += p.channels, where += p.channels)
    for (int64_t place = 0; place < p.rows * p.columns; ++place) {
      float* out = dx + p.pixel(image, h + place / p.columns, ow * p.columns + place % p.columns);
      for (int64_t c = 0; c < p.channels; ++c)
        out[c] = where[c] == static_cast<uint8_t>(place) ? dy[c] : 0;
    }
}

// Clears pixels that no window covers, at the right and bottom edges.
void clear_edges(const Problem& p, int64_t unit, float* dx) {
  const int64_t image = unit / p.out_height, oh = unit % p.out_height;
  const int64_t first = oh * p.rows, covered = p.out_width * p.columns;
  const int64_t last = oh + 1 == p.out_height ? p.height : first + p.rows;
  for (int64_t h = first; h < last; ++h) {
    const int64_t from = h < first + p.rows ? covered : 0;
    std::fill_n(dx + p.pixel(image, h, from), (p.width - from) * p.channels, 0.f);
  }
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  return make_kernel(
      [p = problem_of(node, node.in[0].shape, node.out[0].shape)](void* const* arguments, void*) {
        parallel_for(p.units(), grain_for(p.width * p.channels), [&](int64_t begin, int64_t end) {
          for (int64_t u = begin; u < end; ++u)
            pool_line(p, u, static_cast<const float*>(arguments[0]),
                      static_cast<float*>(arguments[1]) + p.line(u),
                      static_cast<uint8_t*>(arguments[2]) + p.line(u));
        });
      });
}

std::unique_ptr<Kernel> plan_max_grad(const NodeView& node, std::string& refusal) {
  if (!serves(node, refusal)) return nullptr;
  return make_kernel(
      [p = problem_of(node, node.out[0].shape, node.in[0].shape)](void* const* arguments, void*) {
        auto* dx = static_cast<float*>(arguments[2]);
        parallel_for(p.units(), grain_for(p.width * p.channels), [&](int64_t begin, int64_t end) {
          for (int64_t u = begin; u < end; ++u) {
            spread_line(p, u, static_cast<const float*>(arguments[0]) + p.line(u),
                        static_cast<const uint8_t*>(arguments[1]) + p.line(u), dx);
            clear_edges(p, u, dx);
          }
        });
      });
}

const RegisterKernel max{"max_pool2d", "lines", optimised, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "lines", optimised, plan_max_grad};

}  // namespace
}  // namespace stoker::cpu
