#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Conv {
  const char* name;
  Shape x, kernel;
  Ints strides{1, 1}, dilation{1, 1}, padding{0, 0, 0, 0};
  int64_t groups = 1;

  graph::Attrs attrs() const {
    return {{"kernel_size", Ints{kernel[0], kernel[1]}},
            {"strides", strides},
            {"dilation", dilation},
            {"padding", padding},
            {"groups", groups}};
  }
  int64_t positions(int axis) const {
    const auto i = static_cast<size_t>(axis);
    const int64_t span = (kernel[axis] - 1) * dilation[i] + 1;
    return (x[axis + 1] + padding[2 * i] + padding[2 * i + 1] - span) / strides[i] + 1;
  }
  Shape y() const { return {x[0], positions(0), positions(1), kernel[3]}; }
};

// f(x index, kernel index, y index) for every product of the convolution.
template <class F>
void for_products(const Conv& c, F&& f) {
  const Shape y = c.y();
  const int64_t per_group = c.kernel[3] / c.groups;
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t filter = i % y[3], ow = i / y[3] % y[2], oh = i / y[3] / y[2] % y[1],
                  n = i / y[3] / y[2] / y[1];
    for (int64_t kh = 0; kh < c.kernel[0]; ++kh)
      for (int64_t kw = 0; kw < c.kernel[1]; ++kw)
        for (int64_t ch = 0; ch < c.kernel[2]; ++ch) {
          const int64_t h = oh * c.strides[0] - c.padding[0] + kh * c.dilation[0],
                        w = ow * c.strides[1] - c.padding[2] + kw * c.dilation[1];
          if (h < 0 || h >= c.x[1] || w < 0 || w >= c.x[2]) continue;
          const int64_t channel = filter / per_group * c.kernel[2] + ch;
          f(((n * c.x[1] + h) * c.x[2] + w) * c.x[3] + channel,
            ((kh * c.kernel[1] + kw) * c.kernel[2] + ch) * c.kernel[3] + filter, i);
        }
  }
}

// The convolution and its two gradients are sums of the same products over different indices.
Plain sum_products(const Conv& c, int64_t size, int into, int first, int second) {
  return [=](const std::vector<Array>& in) {
    std::vector<double> out(static_cast<size_t>(size), 0);
    for_products(c, [&](int64_t x, int64_t kernel, int64_t y) {
      const int64_t index[] = {x, kernel, y};
      out[static_cast<size_t>(index[into])] += in[0].at(index[first]) * in[1].at(index[second]);
    });
    return out;
  };
}

const Conv convolutions[] = {
    {.name = "plain", .x = {2, 5, 6, 3}, .kernel = {3, 3, 3, 4}},
    {.name = "same", .x = {1, 4, 5, 2}, .kernel = {3, 3, 2, 3}, .padding = {1, 1, 1, 1}},
    {.name = "strided", .x = {1, 6, 7, 2}, .kernel = {3, 2, 2, 3}, .strides = {2, 3}},
    {.name = "dilated", .x = {1, 7, 6, 1}, .kernel = {3, 2, 1, 2}, .dilation = {2, 3}},
    {.name = "uneven_padding", .x = {1, 4, 4, 1}, .kernel = {2, 4, 1, 2}, .padding = {0, 1, 1, 2}},
    {.name = "grouped", .x = {1, 4, 4, 4}, .kernel = {2, 2, 2, 6}, .groups = 2},
    {.name = "depthwise",
     .x = {1, 4, 4, 3},
     .kernel = {3, 3, 1, 3},
     .padding = {1, 1, 1, 1},
     .groups = 3},
    {.name = "depthwise_strided",
     .x = {2, 7, 6, 21},
     .kernel = {3, 2, 1, 21},
     .strides = {2, 3},
     .padding = {0, 1, 1, 0},
     .groups = 21},
    {.name = "depthwise_by_twos",
     .x = {1, 5, 6, 8},
     .kernel = {3, 3, 1, 8},
     .strides = {2, 2},
     .padding = {1, 1, 0, 1},
     .groups = 8},
    {.name = "depthwise_dilated",
     .x = {1, 6, 7, 18},
     .kernel = {2, 3, 1, 18},
     .dilation = {3, 2},
     .padding = {2, 1, 1, 3},
     .groups = 18},
    {.name = "depthwise_many_places",
     .x = {1, 9, 9, 5},
     .kernel = {9, 8, 1, 5},
     .padding = {4, 4, 4, 3},
     .groups = 5},
    {.name = "depth_multiplied", .x = {1, 4, 4, 3}, .kernel = {2, 2, 1, 6}, .groups = 3},
    {.name = "pointwise", .x = {2, 3, 3, 5}, .kernel = {1, 1, 5, 7}},
    {.name = "many_filters", .x = {1, 3, 3, 1}, .kernel = {2, 2, 1, 70}},
    {.name = "all_at_once",
     .x = {1, 9, 8, 2},
     .kernel = {3, 2, 1, 4},
     .strides = {2, 1},
     .dilation = {1, 2},
     .padding = {2, 1, 0, 1},
     .groups = 2},
    {.name = "no_images", .x = {0, 4, 4, 2}, .kernel = {2, 2, 2, 3}},
};

std::vector<OpCase> conv_cases() {
  std::vector<OpCase> cases;
  for (const Conv& c : convolutions) {
    const Shape y = c.y();
    const Array x = random_values(c.x, 1), kernel = random_values(c.kernel, 2),
                dy = random_values(y, 3);
    auto shaped = [&](const Shape& shape) {
      graph::Attrs attrs = c.attrs();
      attrs.set("shape", shape.dims());
      return attrs;
    };
    cases.push_back({"conv2d", c.name, {x, kernel}, c.attrs(), sum_products(c, y.size(), 2, 0, 1)});
    cases.push_back({"conv2d_input_grad",
                     c.name,
                     {dy, kernel},
                     shaped(c.x),
                     sum_products(c, c.x.size(), 0, 2, 1)});
    cases.push_back({"conv2d_kernel_grad",
                     c.name,
                     {x, dy},
                     shaped(c.kernel),
                     sum_products(c, c.kernel.size(), 1, 0, 2)});
  }
  return cases;
}

const AddCases cases(conv_cases(),
                     {{"conv2d",
                       "channels",
                       {{DType::float32, {1, 4, 4, 3}}, {DType::float32, {2, 2, 2, 5}}},
                       convolutions[0].attrs(),
                       "3 channels"},
                      {"conv2d",
                       "window",
                       {{DType::float32, {1, 2, 2, 3}}, {DType::float32, {3, 3, 3, 5}}},
                       convolutions[0].attrs(),
                       "window of 3"}});

}  // namespace
}  // namespace stoker::testing
