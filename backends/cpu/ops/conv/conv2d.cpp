#include "ops/conv/window.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

// Channels last. A filter uses only the channels of its group.
struct Problem {
  int64_t batch, height, width, channels, out_height, out_width, filters, groups;
  Window rows, columns;
  int64_t group_channels() const { return channels / groups; }
  int64_t group_filters() const { return filters / groups; }

  template <class T>
  T* x_at(T* x, int64_t n, int64_t h, int64_t w) const {
    return x + ((n * height + h) * width + w) * channels;
  }
  template <class T>
  T* y_at(T* y, int64_t n, int64_t h, int64_t w) const {
    return y + ((n * out_height + h) * out_width + w) * filters;
  }
  template <class T>
  T* kernel_at(T* kernel, int64_t kh, int64_t kw, int64_t c) const {
    return kernel + ((kh * columns.size + kw) * group_channels() + c) * filters;
  }
  bool inside(int64_t h, int64_t w) const { return h >= 0 && h < height && w >= 0 && w < width; }
};

Problem problem(const NodeView& node, const Shape& x, const Shape& y) {
  return {x[0],
          x[1],
          x[2],
          x[3],
          y[1],
          y[2],
          y[3],
          node.integer("groups", 1),
          window(node, "kernel_size", 0),
          window(node, "kernel_size", 1)};
}

// Calls f(group, first filter, count) for blocks of filters in the same group.
template <class F>
void for_filter_blocks(const Problem& p, F&& f) {
  for (int64_t g = 0; g < p.groups; ++g)
    for (int64_t first = 0; first < p.group_filters(); first += column_block)
      f(g, g * p.group_filters() + first, std::min(column_block, p.group_filters() - first));
}

template <class T>
void forward_pixel(const Problem& p, const T* x, const T* kernel, T* y, int64_t n, int64_t oh,
                   int64_t ow) {
  for_filter_blocks(p, [&](int64_t g, int64_t first, int64_t count) {
    double sums[column_block] = {};
    for (int64_t kh = 0; kh < p.rows.size; ++kh)
      for (int64_t kw = 0; kw < p.columns.size; ++kw) {
        const int64_t h = p.rows.input(oh, kh), w = p.columns.input(ow, kw);
        if (!p.inside(h, w)) continue;
        const T* pixel = p.x_at(x, n, h, w) + g * p.group_channels();
        for (int64_t c = 0; c < p.group_channels(); ++c) {
          const T* weights = p.kernel_at(kernel, kh, kw, c) + first;
          for (int64_t f = 0; f < count; ++f)
            sums[f] += static_cast<double>(pixel[c]) * static_cast<double>(weights[f]);
        }
      }
    T* out = p.y_at(y, n, oh, ow) + first;
    for (int64_t f = 0; f < count; ++f) out[f] = static_cast<T>(sums[f]);
  });
}

template <class T>
double input_gradient(const Problem& p, const T* dy, const T* kernel, int64_t n, int64_t h,
                      int64_t w, int64_t channel) {
  const int64_t group = channel / p.group_channels(), c = channel % p.group_channels(),
                first = group * p.group_filters();
  double sum = 0;
  for (int64_t kh = 0; kh < p.rows.size; ++kh)
    for (int64_t kw = 0; kw < p.columns.size; ++kw) {
      const int64_t oh = p.rows.output(h, kh, p.out_height),
                    ow = p.columns.output(w, kw, p.out_width);
      if (oh < 0 || ow < 0) continue;
      const T *dout = p.y_at(dy, n, oh, ow) + first,
              *weights = p.kernel_at(kernel, kh, kw, c) + first;
      sum += sum_of(p.group_filters(), [&](int64_t f) {
        return static_cast<double>(dout[f]) * static_cast<double>(weights[f]);
      });
    }
  return sum;
}

template <class T>
void kernel_gradient(const Problem& p, const T* x, const T* dy, T* dk, int64_t kh, int64_t kw,
                     int64_t c) {
  for_filter_blocks(p, [&](int64_t g, int64_t first, int64_t count) {
    double sums[column_block] = {};
    for (int64_t n = 0; n < p.batch; ++n)
      for (int64_t oh = 0; oh < p.out_height; ++oh)
        for (int64_t ow = 0; ow < p.out_width; ++ow) {
          const int64_t h = p.rows.input(oh, kh), w = p.columns.input(ow, kw);
          if (!p.inside(h, w)) continue;
          const double value = p.x_at(x, n, h, w)[g * p.group_channels() + c];
          const T* dout = p.y_at(dy, n, oh, ow) + first;
          for (int64_t f = 0; f < count; ++f) sums[f] += value * static_cast<double>(dout[f]);
        }
    T* out = p.kernel_at(dk, kh, kw, c) + first;
    for (int64_t f = 0; f < count; ++f) out[f] = static_cast<T>(sums[f]);
  });
}

// f(a, b, c) for every triple below (n0, n1, n2), in parallel.
template <class F>
void for_triples(int64_t n0, int64_t n1, int64_t n2, F&& f) {
  parallel_for(n0 * n1 * n2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i / (n1 * n2), i / n2 % n1, i % n2);
  });
}

// body(problem, first input, second input, output), typed.
template <class F>
std::unique_ptr<Kernel> typed(const NodeView& node, std::string& refusal, const Problem& p,
                              F body) {
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p, body](void* const* a, void*) {
      body(p, static_cast<const T*>(a[0]), static_cast<const T*>(a[1]), static_cast<T*>(a[2]));
    });
  });
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  return typed(node, refusal, problem(node, node.in[0].shape, node.out[0].shape),
               [](const Problem& p, const auto* x, const auto* kernel, auto* y) {
                 for_triples(p.batch, p.out_height, p.out_width,
                             [&](int64_t n, int64_t h, int64_t w) {
                               forward_pixel(p, x, kernel, y, n, h, w);
                             });
               });
}

std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  return typed(node, refusal, problem(node, node.out[0].shape, node.in[0].shape),
               [](const Problem& p, const auto* dy, const auto* kernel, auto* dx) {
                 for_triples(p.batch, p.height, p.width, [&](int64_t n, int64_t h, int64_t w) {
                   auto* pixel = p.x_at(dx, n, h, w);
                   for (int64_t c = 0; c < p.channels; ++c)
                     pixel[c] = static_cast<std::remove_reference_t<decltype(*pixel)>>(
                         input_gradient(p, dy, kernel, n, h, w, c));
                 });
               });
}

std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  return typed(node, refusal, problem(node, node.in[0].shape, node.in[1].shape),
               [](const Problem& p, const auto* x, const auto* dy, auto* dk) {
                 for_triples(p.rows.size, p.columns.size, p.group_channels(),
                             [&](int64_t kh, int64_t kw, int64_t c) {
                               kernel_gradient(p, x, dy, dk, kh, kw, c);
                             });
               });
}

const RegisterKernel conv2d{"conv2d", "direct", reference, plan_forward};
const RegisterKernel input_grad{"conv2d_input_grad", "direct", reference, plan_input_grad};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "direct", reference, plan_kernel_grad};

}  // namespace
}  // namespace stoker::cpu
