// The time of a network's first step, which includes compiling, and of later steps: compile_time
// mobilenet|resnet50 [BATCH] [POLICY]. With an empty STOKER_CACHE_DIR it is a cold start; a second
// run with the same folder finds the compiled kernels there.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "stoker/stoker.h"

namespace {

using namespace stoker;
using namespace stoker::layers;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Tensor normalized(const Tensor& x) {
  return BatchNormalization({.momentum = 0.999, .epsilon = 1e-3})(x);
}
Tensor relu6(const Tensor& x) { return ReLU({.max_value = 6.0})(x); }

Tensor conv(const Tensor& x, int64_t filters, int64_t size = 1, int64_t stride = 1) {
  return normalized(Conv2D({.filters = filters,
                            .kernel_size = size,
                            .strides = stride,
                            .padding = "same",
                            .use_bias = false})(x));
}

// A stage of MobileNetV2's: the first block has the stride.
struct Stage {
  int64_t expansion, filters, blocks, stride;
};

Tensor inverted_residual(const Tensor& x, const Stage& stage, int64_t stride) {
  const int64_t channels = x.shape()[-1];
  Tensor h = stage.expansion > 1 ? relu6(conv(x, channels * stage.expansion)) : x;
  h = DepthwiseConv2D({.kernel_size = 3, .strides = stride, .padding = "same", .use_bias = false})(
      h);
  h = conv(relu6(normalized(h)), stage.filters);
  return stride == 1 && channels == stage.filters ? Add()({x, h}) : h;
}

Model mobilenet(int64_t pixels) {
  const Tensor image = Input({.shape = {pixels, pixels, 3}});
  Tensor h = relu6(conv(image, 32, 3, 2));
  const Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                          {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  for (const Stage& stage : stages)
    for (int64_t i = 0; i < stage.blocks; ++i)
      h = inverted_residual(h, stage, i == 0 ? stage.stride : 1);
  h = GlobalAveragePooling2D()(relu6(conv(h, 1280)));
  return Model({.inputs = {image}, .outputs = {Dense({.units = 10, .activation = "softmax"})(h)}});
}

Tensor relu(const Tensor& x) { return ReLU()(x); }

Tensor bottleneck(const Tensor& x, int64_t width, int64_t stride, bool widens) {
  const Tensor h = conv(relu(conv(relu(conv(x, width)), width, 3, stride)), 4 * width);
  return relu(Add()({widens ? conv(x, 4 * width, 1, stride) : x, h}));
}

Model resnet50(int64_t pixels) {
  const Tensor image = Input({.shape = {pixels, pixels, 3}});
  Tensor h = relu(conv(image, 64, 7, 2));
  h = MaxPooling2D({.pool_size = 3, .strides = 2, .padding = "same"})(h);
  const int64_t depths[] = {3, 4, 6, 3};
  for (int64_t stage = 0; stage < 4; ++stage)
    for (int64_t i = 0; i < depths[stage]; ++i)
      h = bottleneck(h, int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1, i == 0);
  h = GlobalAveragePooling2D()(h);
  return Model({.inputs = {image}, .outputs = {Dense({.units = 10, .activation = "softmax"})(h)}});
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "mobilenet";
  const int64_t batch = argc > 2 ? std::atoll(argv[2]) : 256;
  set_dtype_policy(argc > 3 ? argv[3] : "float32");
  const int64_t pixels = name == "mobilenet" ? 64 : 224, steps = 4;
  Model model = name == "mobilenet" ? mobilenet(pixels) : resnet50(pixels);
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const Array x(DType::float32, {batch * steps, pixels, pixels, 3}),
      y(DType::int32, {batch * steps});
  const auto fit = [&](int64_t batches, int64_t epochs) {
    const auto begin = std::chrono::steady_clock::now();
    model.fit(x.rows(0, batches * batch), y.rows(0, batches * batch),
              {.batch_size = batch, .epochs = epochs, .verbose = 0});
    return seconds_since(begin);
  };
  const double first = fit(steps, 1), second = fit(steps, 1);
  constexpr int64_t epochs = 25;
  const double step = fit(steps, epochs) / static_cast<double>(steps * epochs);
  fmt::print("{} b{}: the first fit took {:.2f} s longer than the second; a step takes {:.3f} ms\n",
             name, batch, first - second, 1e3 * step);
} catch (const stoker::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
