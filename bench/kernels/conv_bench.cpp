#include <fmt/core.h>

#include "kernels/conv2d.h"
#include "measure.h"

namespace stoker::bench {
namespace {

using cpu::Conv2dShape;

double flops(const Conv2dShape& s) {
  return 2.0 * s.batch * s.out_h() * s.out_w() * s.out_c * s.kernel_h * s.kernel_w * s.in_c /
         s.groups;
}

void report(const char* name, const char* what, const Conv2dShape& s, double seconds) {
  fmt::print("{:14} {:24} {:10.1f} us {:7.1f} GFLOP/s\n", name, what, seconds * 1e6,
             flops(s) / seconds * 1e-9);
}

struct Arrays {
  explicit Arrays(const Conv2dShape& s)
      : x(s.batch * s.in_h * s.in_w * s.in_c),
        y(s.batch * s.out_h() * s.out_w() * s.out_c),
        kernel(s.kernel_h * s.kernel_w * s.in_c / s.groups * s.out_c),
        bias(s.out_c) {}
  Buffer x, y, kernel, bias;
};

void bench_plain(const char* name, const Conv2dShape& s) {
  Arrays a(s);
  const auto run = [&](const char* what, size_t bytes, auto&& call) {
    Buffer workspace(bytes / sizeof(float) + 16);
    report(name, what, s, best_seconds([&] { call(workspace.get()); }));
  };
  run("forward bias relu", cpu::conv2d_forward_workspace_bytes(s), [&](float* w) {
    cpu::conv2d_forward(s, a.x.get(), a.kernel.get(),
                        {.bias = a.bias.get(), .activation = cpu::Activation::kRelu}, a.y.get(), w);
  });
  run("weight, bias gradient", cpu::conv2d_weight_gradient_workspace_bytes(s), [&](float* w) {
    cpu::conv2d_weight_gradient(s, a.x.get(), a.y.get(), a.kernel.get(), a.bias.get(), w);
  });
  if (s.in_c < 16) return;  // the first layer of a model has no input gradient
  run("input gradient", cpu::conv2d_input_gradient_workspace_bytes(s), [&](float* w) {
    cpu::conv2d_input_gradient(s, a.y.get(), a.kernel.get(), {}, a.x.get(), w);
  });
}

void bench_pooled(const char* name, const Conv2dShape& s, const cpu::PoolWindow& window) {
  Arrays a(s);
  auto index = std::make_unique<uint8_t[]>(s.batch * s.out_h() * s.out_w() * s.out_c);
  Buffer forward(cpu::conv2d_pool_forward_workspace_bytes(s, window) / sizeof(float) + 16);
  report(name, "forward bias relu pool", s, best_seconds([&] {
           cpu::conv2d_pool_forward(s, window, a.x.get(), a.kernel.get(), a.bias.get(),
                                    cpu::Activation::kRelu, a.y.get(), index.get(), forward.get());
         }));
  Buffer backward(cpu::conv2d_pool_weight_gradient_workspace_bytes(s, window) / sizeof(float) + 16);
  report(name, "pooled weight gradient", s, best_seconds([&] {
           cpu::conv2d_pool_weight_gradient(s, window, a.x.get(), a.y.get(), index.get(),
                                            a.kernel.get(), a.bias.get(), backward.get());
         }));
}

}  // namespace

void bench_conv() {
  const Conv2dShape cnn28{
      .batch = 1024, .in_h = 28, .in_w = 28, .in_c = 1, .kernel_h = 3, .kernel_w = 3, .out_c = 32};
  const Conv2dShape cnn128{
      .batch = 32, .in_h = 128, .in_w = 128, .in_c = 3, .kernel_h = 3, .kernel_w = 3, .out_c = 32};
  const Conv2dShape same{.batch = 8,
                         .in_h = 28,
                         .in_w = 28,
                         .in_c = 128,
                         .kernel_h = 3,
                         .kernel_w = 3,
                         .out_c = 128,
                         .pad_top = 1,
                         .pad_bottom = 1,
                         .pad_left = 1,
                         .pad_right = 1};
  Conv2dShape cnn28_b64 = cnn28;
  cnn28_b64.batch = 64;
  bench_pooled("cnn28 b64", cnn28_b64, {2, 2});
  bench_pooled("cnn28 b1024", cnn28, {2, 2});
  bench_plain("cnn28 b1024", cnn28);
  bench_plain("cnn128 b32", cnn128);
  bench_plain("28x28x128 b8", same);
}

}  // namespace stoker::bench
