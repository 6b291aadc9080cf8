#include "kernels/conv2d.h"

#include <cmath>

#include "kernels/kernel_testing.h"

namespace stoker::cpu {
namespace {

std::vector<Conv2dShape> shapes() {
  return {
      {.batch = 3, .in_h = 8, .in_w = 9, .in_c = 1, .kernel_h = 3, .kernel_w = 3, .out_c = 32},
      {.batch = 2,
       .in_h = 9,
       .in_w = 8,
       .in_c = 3,
       .kernel_h = 3,
       .kernel_w = 3,
       .out_c = 10,
       .pad_top = 1,
       .pad_bottom = 1,
       .pad_left = 1,
       .pad_right = 1},
      {.batch = 2,
       .in_h = 11,
       .in_w = 12,
       .in_c = 5,
       .kernel_h = 3,
       .kernel_w = 2,
       .out_c = 33,
       .stride_h = 2,
       .stride_w = 3,
       .pad_bottom = 1,
       .pad_left = 2},
      {.batch = 1,
       .in_h = 14,
       .in_w = 13,
       .in_c = 4,
       .kernel_h = 3,
       .kernel_w = 3,
       .out_c = 20,
       .dilation_h = 2,
       .dilation_w = 3,
       .pad_top = 2,
       .pad_bottom = 2,
       .pad_left = 3,
       .pad_right = 3},
      {.batch = 2,
       .in_h = 7,
       .in_w = 7,
       .in_c = 6,
       .kernel_h = 3,
       .kernel_w = 3,
       .out_c = 9,
       .pad_top = 1,
       .pad_bottom = 1,
       .pad_left = 1,
       .pad_right = 1,
       .groups = 3},
      {.batch = 2,
       .in_h = 7,
       .in_w = 6,
       .in_c = 5,
       .kernel_h = 2,
       .kernel_w = 3,
       .out_c = 5,
       .stride_h = 2,
       .stride_w = 2,
       .groups = 5},
      {.batch = 2, .in_h = 6, .in_w = 5, .in_c = 17, .kernel_h = 1, .kernel_w = 1, .out_c = 40},
      {.batch = 1,
       .in_h = 7,
       .in_w = 8,
       .in_c = 2,
       .kernel_h = 1,
       .kernel_w = 1,
       .out_c = 3,
       .stride_h = 2,
       .stride_w = 2,
       .pad_top = 1,
       .pad_left = 1},
      {.batch = 1,
       .in_h = 40,
       .in_w = 70,
       .in_c = 3,
       .kernel_h = 5,
       .kernel_w = 5,
       .out_c = 64,
       .pad_top = 2,
       .pad_bottom = 2,
       .pad_left = 2,
       .pad_right = 2},
  };
}

std::string describe(const Conv2dShape& s) {
  return "input " + std::to_string(s.in_h) + "x" + std::to_string(s.in_w) + "x" +
         std::to_string(s.in_c) + ", kernel " + std::to_string(s.kernel_h) + "x" +
         std::to_string(s.kernel_w) + " to " + std::to_string(s.out_c) + ", stride " +
         std::to_string(s.stride_h) + ", groups " + std::to_string(s.groups);
}

// Calls visit(input, kernel, output) with the flat indices of every product of the convolution.
template <typename Visit>
void for_each_product(const Conv2dShape& s, Visit&& visit) {
  const int64_t oh = s.out_h(), ow = s.out_w(), gi = s.in_c / s.groups, go = s.out_c / s.groups;
  for (int64_t pixel = 0; pixel < s.batch * oh * ow; ++pixel) {
    const int64_t b = pixel / (oh * ow), oy = pixel / ow % oh, ox = pixel % ow;
    for (int64_t tap = 0; tap < s.kernel_h * s.kernel_w; ++tap) {
      const int64_t y = oy * s.stride_h - s.pad_top + tap / s.kernel_w * s.dilation_h;
      const int64_t x = ox * s.stride_w - s.pad_left + tap % s.kernel_w * s.dilation_w;
      if (y < 0 || y >= s.in_h || x < 0 || x >= s.in_w) continue;
      for (int64_t co = 0; co < s.out_c; ++co) {
        for (int64_t ci = 0; ci < gi; ++ci) {
          visit(((b * s.in_h + y) * s.in_w + x) * s.in_c + co / go * gi + ci,
                (tap * gi + ci) * s.out_c + co, pixel * s.out_c + co);
        }
      }
    }
  }
}

struct Data {
  explicit Data(const Conv2dShape& s) : filler(s.in_h + s.in_c) {
    x = filler(s.batch * s.in_h * s.in_w * s.in_c);
    kernel = filler(s.kernel_h * s.kernel_w * s.in_c / s.groups * s.out_c);
    pixels = s.batch * s.out_h() * s.out_w();
    dy = filler(pixels * s.out_c);
    bias = filler(s.out_c);
  }
  Filler filler;
  int64_t pixels;
  std::vector<float> x, kernel, dy, bias;
};

void expect_near(const std::vector<float>& got, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

std::vector<double> reference_forward(const Conv2dShape& s, const Data& data) {
  std::vector<double> y(data.dy.size());
  for_each_product(
      s, [&](int64_t x, int64_t k, int64_t o) { y[o] += double{data.x[x]} * data.kernel[k]; });
  return y;
}

class Conv2dTest : public TargetTest {};

TEST_P(Conv2dTest, ForwardWithBiasAndRelu) {
  for (const Conv2dShape& s : shapes()) {
    SCOPED_TRACE(describe(s));
    const Data data(s);
    auto want = reference_forward(s, data);
    for (size_t i = 0; i < want.size(); ++i)
      want[i] = std::max(0.0, want[i] + data.bias[i % s.out_c]);
    std::vector<float> y(want.size(), NAN);
    Workspace workspace(conv2d_forward_workspace_bytes(s));
    conv2d_forward(s, data.x.data(), data.kernel.data(),
                   {.bias = data.bias.data(), .activation = Activation::kRelu}, y.data(),
                   workspace.data());
    expect_near(y, want, 2e-5);
  }
}

TEST_P(Conv2dTest, InputGradientWithMask) {
  for (const Conv2dShape& s : shapes()) {
    SCOPED_TRACE(describe(s));
    Data data(s);
    const auto mask = data.filler(data.x.size());
    std::vector<double> want(data.x.size());
    for_each_product(s, [&](int64_t x, int64_t k, int64_t o) {
      want[x] += double{data.dy[o]} * data.kernel[k];
    });
    for (size_t i = 0; i < want.size(); ++i) want[i] = mask[i] > 0 ? want[i] : 0;
    std::vector<float> dx(want.size(), NAN);
    Workspace workspace(conv2d_input_gradient_workspace_bytes(s));
    conv2d_input_gradient(s, data.dy.data(), data.kernel.data(),
                          {.mask = mask.data(), .mask_ld = s.in_c}, dx.data(), workspace.data());
    expect_near(dx, want, 1.5e-4);
  }
}

TEST_P(Conv2dTest, WeightAndBiasGradient) {
  for (const Conv2dShape& s : shapes()) {
    SCOPED_TRACE(describe(s));
    const Data data(s);
    std::vector<double> want(data.kernel.size()), want_bias(s.out_c);
    for_each_product(
        s, [&](int64_t x, int64_t k, int64_t o) { want[k] += double{data.dy[o]} * data.x[x]; });
    for (size_t i = 0; i < data.dy.size(); ++i) want_bias[i % s.out_c] += data.dy[i];
    std::vector<float> dw(want.size(), NAN), db(s.out_c, NAN);
    Workspace workspace(conv2d_weight_gradient_workspace_bytes(s));
    conv2d_weight_gradient(s, data.x.data(), data.dy.data(), dw.data(), db.data(),
                           workspace.data());
    expect_near(dw, want, 1e-4);
    expect_near(db, want_bias, 1e-4);
    conv2d_weight_gradient(s, data.x.data(), data.dy.data(), dw.data(), nullptr, workspace.data());
    expect_near(dw, want, 1e-4);
  }
}

// Ties in float may differ in double, so an index is checked by the value it selects.
void check_pooled(const Conv2dShape& s, const PoolWindow& w, Activation activation) {
  SCOPED_TRACE(describe(s) + ", window " + std::to_string(w.h) + "x" + std::to_string(w.w));
  Data data(s);
  const auto full = reference_forward(s, data);
  const int64_t ph = s.out_h() / w.h, pw = s.out_w() / w.w, size = s.batch * ph * pw * s.out_c;
  std::vector<float> y(size, NAN), dw(data.kernel.size(), NAN), db(s.out_c, NAN);
  std::vector<uint8_t> index(size, 77);
  Workspace forward(conv2d_pool_forward_workspace_bytes(s, w));
  conv2d_pool_forward(s, w, data.x.data(), data.kernel.data(), data.bias.data(), activation,
                      y.data(), index.data(), forward.data());
  const auto d_pooled = data.filler(size);
  std::vector<float> scattered(full.size());
  for (int64_t i = 0; i < size; ++i) {
    const int64_t c = i % s.out_c, x = i / s.out_c % pw,
                  row = i / s.out_c / pw;  // row: over the batch
    const auto at = [&](int64_t p) {
      const int64_t oy = row / ph * s.out_h() + row % ph * w.h + p / w.w;
      return (oy * s.out_w() + x * w.w + p % w.w) * s.out_c + c;
    };
    double best = -INFINITY;
    for (int64_t p = 0; p < w.h * w.w; ++p) best = std::max(best, full[at(p)] + data.bias[c]);
    const bool cut = activation == Activation::kRelu && best <= 0;
    ASSERT_NEAR(y[i], cut ? 0 : best, 2e-5);
    ASSERT_EQ(index[i] == kNoGradient, cut) << best;
    if (cut) continue;
    ASSERT_LT(index[i], w.h * w.w);
    ASSERT_NEAR(full[at(index[i])] + data.bias[c], best, 2e-5);
    scattered[at(index[i])] = d_pooled[i];
  }
  std::vector<double> want(data.kernel.size()), want_bias(s.out_c);
  for_each_product(
      s, [&](int64_t x, int64_t k, int64_t o) { want[k] += double{scattered[o]} * data.x[x]; });
  for (size_t i = 0; i < scattered.size(); ++i) want_bias[i % s.out_c] += scattered[i];
  Workspace backward(conv2d_pool_weight_gradient_workspace_bytes(s, w));
  conv2d_pool_weight_gradient(s, w, data.x.data(), d_pooled.data(), index.data(), dw.data(),
                              db.data(), backward.data());
  expect_near(dw, want, 1e-4);
  expect_near(db, want_bias, 1e-4);
}

TEST_P(Conv2dTest, PooledForwardAndWeightGradient) {
  for (const Conv2dShape& s : shapes()) {
    for (const PoolWindow& w : {PoolWindow{2, 2}, PoolWindow{1, 3}, PoolWindow{3, 2},
                                PoolWindow{4, 4}, PoolWindow{1, 1}}) {
      if (w.h > s.out_h() || w.w > s.out_w()) continue;
      check_pooled(s, w, Activation::kRelu);
      check_pooled(s, w, Activation::kIdentity);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Conv2dTest, FirstMaximumWins) {
  const Conv2dShape s{.in_h = 4, .in_w = 4, .in_c = 1, .kernel_h = 1, .kernel_w = 1, .out_c = 2};
  const std::vector<float> x{1, 1, 2, 3, 1, 1, 3, 3, 0, 0, 0, 0, 0, 5, 0, 0}, kernel{1, 1};
  std::vector<float> y(8);
  std::vector<uint8_t> index(8);
  Workspace workspace(conv2d_pool_forward_workspace_bytes(s, {2, 2}));
  conv2d_pool_forward(s, {2, 2}, x.data(), kernel.data(), nullptr, Activation::kIdentity, y.data(),
                      index.data(), workspace.data());
  EXPECT_EQ(y, (std::vector<float>{1, 1, 3, 3, 5, 5, 0, 0}));
  EXPECT_EQ(index, (std::vector<uint8_t>{0, 0, 1, 1, 3, 3, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Targets, Conv2dTest, ::testing::ValuesIn(supported_targets()),
                         target_name);

}  // namespace
}  // namespace stoker::cpu
