#include "bench_resnet50.h"

#include <optional>

#include "stoker/activations.h"
#include "stoker/layers.h"

namespace stoker::cli {
namespace {

// A convolution followed by batch normalisation.
struct NormalConv {
  NormalConv(int64_t filters, int64_t size, int64_t stride)
      : conv(layers::Conv2D({.filters = filters,
                             .kernel_size = {size, size},
                             .strides = {stride, stride},
                             .padding = "same",
                             .use_bias = false})),
        norm(layers::BatchNormalization({.momentum = 0.9, .epsilon = 1e-5})) {}

  Tensor operator()(const Tensor& x, bool training) const {
    return norm(conv(x), {.training = training});
  }

  LayerRef conv, norm;
};

struct Bottleneck {
  Bottleneck(int64_t width, int64_t stride, bool widens)
      : narrow(width, 1, 1), middle(width, 3, stride), wide(4 * width, 1, 1) {
    if (widens) shortcut.emplace(4 * width, 1, stride);
  }

  Tensor operator()(const Tensor& x, bool training) const {
    using activations::relu;
    const Tensor y = wide(relu(middle(relu(narrow(x, training)), training)), training);
    return relu(y + (shortcut ? (*shortcut)(x, training) : x));
  }

  NormalConv narrow, middle, wide;
  std::optional<NormalConv> shortcut;
};

class ResNet50Layer : public Layer {
 public:
  explicit ResNet50Layer(int64_t classes)
      : Layer("ResNet50"),
        stem_(64, 7, 2),
        pool_(layers::MaxPooling2D({.pool_size = {3, 3}, .strides = {2, 2}, .padding = "same"})),
        average_(layers::GlobalAveragePooling2D()),
        head_(layers::Dense({.units = classes})) {
    const int64_t depths[] = {3, 4, 6, 3};
    for (int64_t stage = 0; stage < 4; ++stage)
      for (int64_t i = 0; i < depths[stage]; ++i)
        blocks_.emplace_back(int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1, i == 0);
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    Tensor h = pool_(activations::relu(stem_(x, args.training)));
    for (const Bottleneck& block : blocks_) h = block(h, args.training);
    return head_(average_(h));
  }

  std::vector<Sublayer> named_sublayers() const override {
    std::vector<Sublayer> all;
    const auto add = [&](const NormalConv& part) {
      all.push_back({part.conv->name(), part.conv});
      all.push_back({part.norm->name(), part.norm});
    };
    add(stem_);
    for (const Bottleneck& block : blocks_) {
      for (const NormalConv* part : {&block.narrow, &block.middle, &block.wide}) add(*part);
      if (block.shortcut) add(*block.shortcut);
    }
    for (const LayerRef& layer : {pool_, average_, head_}) all.push_back({layer->name(), layer});
    return all;
  }

 private:
  NormalConv stem_;
  LayerRef pool_, average_, head_;
  std::vector<Bottleneck> blocks_;
};

}  // namespace

LayerRef ResNet50(int64_t classes) { return make_layer<ResNet50Layer>(classes); }

}  // namespace stoker::cli
