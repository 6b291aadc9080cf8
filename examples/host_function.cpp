// A layer that computes in plain C++ on the host, inside a model. It works on any device; on a GPU
// every step waits for the copies, and the account shows the time of the function itself.
#include <fmt/format.h>

#include <cmath>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

Array map(const Array& x, float (*f)(float)) {
  Array y(x.dtype(), x.shape());
  const auto in = x.data<float>();
  auto out = y.mutable_data<float>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = f(in[i]);
  return y;
}

const HostFunction sine(
    [](const std::vector<Array>& in) -> std::vector<Array> {
      return {map(in[0], [](float v) { return std::sin(v); })};
    },
    [](const std::vector<Array>& in) -> std::vector<Array> {  // input, output, output's gradient
      Array gradient = map(in[0], [](float v) { return std::cos(v); });
      const auto flows = in[2].data<float>();
      auto out = gradient.mutable_data<float>();
      for (size_t i = 0; i < flows.size(); ++i) out[i] *= flows[i];
      return {gradient};
    });

struct SlowLayer : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override { return ops::host_call(x, sine); }
};

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}),
                    Reshape({.target_shape = {28, 28, 1}}),
                    Conv2D({.filters = 8, .kernel_size = {3, 3}, .activation = "relu"}),
                    make_layer<SlowLayer>(), Flatten(),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model.fit(data.x_train.rows(0, 6400), data.y_train.rows(0, 6400), {.epochs = 2});
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
