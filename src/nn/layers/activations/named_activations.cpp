#include "stoker/layers/named_activations.h"

#include "nn/layers/args_layer.h"
#include "stoker/activations.h"

namespace stoker::layers {

template <class V>
void visit(ReLUArgs& a, V& v) {
  v("max_value", a.max_value);
  v("negative_slope", a.negative_slope);
  v("threshold", a.threshold);
  nn::visit_layer(a, v);
}
template <class V>
void visit(LeakyReLUArgs& a, V& v) {
  v("negative_slope", a.negative_slope);
  nn::visit_layer(a, v);
}
template <class V>
void visit(ELUArgs& a, V& v) {
  v("alpha", a.alpha);
  nn::visit_layer(a, v);
}

namespace {

Tensor compute(const ReLUArgs& a, const Tensor& x) {
  return activations::relu(x, {a.negative_slope, a.max_value, a.threshold});
}
Tensor compute(const LeakyReLUArgs& a, const Tensor& x) {
  return activations::leaky_relu(x, a.negative_slope);
}
Tensor compute(const ELUArgs& a, const Tensor& x) { return activations::elu(x, a.alpha); }

template <class Args>
class NamedActivation : public nn::ArgsLayer<Args> {
 public:
  NamedActivation(const char* class_name, const Args& args, std::source_location created)
      : nn::ArgsLayer<Args>(class_name, args, created) {
    this->supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return compute(this->args_, x); }
  void expect_not_negative(const char* argument, double value) const {
    if (!(value >= 0)) this->fail(fmt::format("{} cannot be negative, got {}.", argument, value));
  }
};

const nn::RegisterLayer<ReLUArgs> relu{"ReLU", ReLU};
const nn::RegisterLayer<LeakyReLUArgs> leaky_relu{"LeakyReLU", LeakyReLU};
const nn::RegisterLayer<ELUArgs> elu{"ELU", ELU};

}  // namespace

LayerRef ReLU(const ReLUArgs& args, std::source_location created) {
  auto layer = make_layer<NamedActivation<ReLUArgs>>("ReLU", args, created);
  layer->expect_not_negative("max_value", args.max_value.value_or(0));
  layer->expect_not_negative("negative_slope", args.negative_slope);
  layer->expect_not_negative("threshold", args.threshold);
  return layer;
}
LayerRef LeakyReLU(const LeakyReLUArgs& args, std::source_location created) {
  auto layer = make_layer<NamedActivation<LeakyReLUArgs>>("LeakyReLU", args, created);
  layer->expect_not_negative("negative_slope", args.negative_slope);
  return layer;
}
LayerRef ELU(const ELUArgs& args, std::source_location created) {
  return make_layer<NamedActivation<ELUArgs>>("ELU", args, created);
}

}  // namespace stoker::layers
