#include "ops/conv/window.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Problem {
  int64_t batch, height, width, channels, out_height, out_width;
  Window rows, columns;

  int64_t x_at(int64_t n, int64_t h, int64_t w) const {
    return ((n * height + h) * width + w) * channels;
  }
  int64_t y_at(int64_t n, int64_t h, int64_t w) const {
    return ((n * out_height + h) * out_width + w) * channels;
  }
};

Problem problem(const NodeView& node, const Shape& x, const Shape& y) {
  return {x[0],
          x[1],
          x[2],
          x[3],
          y[1],
          y[2],
          window(node, "pool_size", 0),
          window(node, "pool_size", 1)};
}

// f(index in the window, offset of the pixel) for every element of the window inside the image.
template <class F>
void for_places(const Problem& p, int64_t n, int64_t oh, int64_t ow, F&& f) {
  for (int64_t kh = 0; kh < p.rows.size; ++kh)
    for (int64_t kw = 0; kw < p.columns.size; ++kw) {
      const int64_t h = p.rows.input(oh, kh), w = p.columns.input(ow, kw);
      if (h >= 0 && h < p.height && w >= 0 && w < p.width)
        f(kh * p.columns.size + kw, p.x_at(n, h, w));
    }
}

// f(n, oh, ow) for every window; parallel over images, because windows may overlap.
template <class F>
void for_windows(const Problem& p, F&& f) {
  const int64_t work = p.out_height * p.out_width * p.channels * p.rows.size * p.columns.size;
  parallel_for(p.batch, grain_for(work), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n)
      for (int64_t oh = 0; oh < p.out_height; ++oh)
        for (int64_t ow = 0; ow < p.out_width; ++ow) f(n, oh, ow);
  });
}

template <class T>
void max_pool(const Problem& p, const T* x, T* y, uint8_t* where) {
  for_windows(p, [&](int64_t n, int64_t oh, int64_t ow) {
    T* best = y + p.y_at(n, oh, ow);
    uint8_t* place_of = where + p.y_at(n, oh, ow);
    bool first = true;
    for_places(p, n, oh, ow, [&](int64_t place, int64_t pixel) {
      for (int64_t c = 0; c < p.channels; ++c) {
        const T value = x[pixel + c];
        if (!first && !(value > best[c] || value != value)) continue;
        best[c] = value;
        place_of[c] = static_cast<uint8_t>(place);
      }
      first = false;
    });
  });
}

template <class T>
void max_pool_grad(const Problem& p, const T* dy, const uint8_t* where, T* dx) {
  std::fill_n(dx, p.batch * p.height * p.width * p.channels, T{0});
  for_windows(p, [&](int64_t n, int64_t oh, int64_t ow) {
    const int64_t at = p.y_at(n, oh, ow);
    for (int64_t c = 0; c < p.channels; ++c) {
      const int64_t h = p.rows.input(oh, where[at + c] / p.columns.size),
                    w = p.columns.input(ow, where[at + c] % p.columns.size);
      dx[p.x_at(n, h, w) + c] += dy[at + c];
    }
  });
}

// Padding is not counted.
int64_t places_inside(const Problem& p, int64_t n, int64_t oh, int64_t ow) {
  int64_t count = 0;
  for_places(p, n, oh, ow, [&](int64_t, int64_t) { ++count; });
  return std::max<int64_t>(1, count);
}

template <class T>
void average_pool(const Problem& p, const T* x, T* y) {
  for_windows(p, [&](int64_t n, int64_t oh, int64_t ow) {
    T* out = y + p.y_at(n, oh, ow);
    const T count = static_cast<T>(places_inside(p, n, oh, ow));
    std::fill_n(out, p.channels, T{0});
    for_places(p, n, oh, ow, [&](int64_t, int64_t pixel) {
      for (int64_t c = 0; c < p.channels; ++c) out[c] += x[pixel + c];
    });
    for (int64_t c = 0; c < p.channels; ++c) out[c] /= count;
  });
}

template <class T>
void average_pool_grad(const Problem& p, const T* dy, T* dx) {
  std::fill_n(dx, p.batch * p.height * p.width * p.channels, T{0});
  for_windows(p, [&](int64_t n, int64_t oh, int64_t ow) {
    const T* dout = dy + p.y_at(n, oh, ow);
    const T count = static_cast<T>(places_inside(p, n, oh, ow));
    for_places(p, n, oh, ow, [&](int64_t, int64_t pixel) {
      for (int64_t c = 0; c < p.channels; ++c) dx[pixel + c] += dout[c] / count;
    });
  });
}

// A window that contains only padding has no maximum.
bool windows_see_the_image(const NodeView& node, std::string& refusal) {
  const auto padding = node.integers("padding"), size = node.integers("pool_size");
  for (size_t i = 0; i < padding.size(); ++i)
    if (padding[i] >= size[i / 2])
      refusal = fmt::format("needs padding smaller than the window of {}, got {}", size[i / 2],
                            padding[i]);
  return refusal.empty();
}

std::unique_ptr<Kernel> plan_max(const NodeView& node, std::string& refusal) {
  if (!windows_see_the_image(node, refusal)) return nullptr;
  const Problem p = problem(node, node.in[0].shape, node.out[0].shape);
  return for_numbers(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) {
      max_pool(p, static_cast<const T*>(a[0]), static_cast<T*>(a[1]), static_cast<uint8_t*>(a[2]));
    });
  });
}

std::unique_ptr<Kernel> plan_max_grad(const NodeView& node, std::string& refusal) {
  if (!windows_see_the_image(node, refusal)) return nullptr;
  const Problem p = problem(node, node.out[0].shape, node.in[0].shape);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) {
      max_pool_grad(p, static_cast<const T*>(a[0]), static_cast<const uint8_t*>(a[1]),
                    static_cast<T*>(a[2]));
    });
  });
}

std::unique_ptr<Kernel> plan_average(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.in[0].shape, node.out[0].shape);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) {
      average_pool(p, static_cast<const T*>(a[0]), static_cast<T*>(a[1]));
    });
  });
}

std::unique_ptr<Kernel> plan_average_grad(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.out[0].shape, node.in[0].shape);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) {
      average_pool_grad(p, static_cast<const T*>(a[0]), static_cast<T*>(a[1]));
    });
  });
}

const RegisterKernel max{"max_pool2d", "plain", reference, plan_max};
const RegisterKernel max_grad{"max_pool2d_grad", "plain", reference, plan_max_grad};
const RegisterKernel average{"average_pool2d", "plain", reference, plan_average};
const RegisterKernel average_grad{"average_pool2d_grad", "plain", reference, plan_average_grad};

}  // namespace
}  // namespace stoker::cpu
