#include "nn/config/axes.h"
#include "nn/layers/normalization/normalization_layer.h"
#include "nn/unit_vectors.h"
#include "stoker/layers/normalization.h"

namespace stoker::layers {

template <class V>
void visit(RMSNormalizationArgs& a, V& v) {
  nn::visit_axes(v, "axis", a.axis);
  v("epsilon", a.epsilon);
  nn::visit_layer(a, v);
}
template <class V>
void visit(UnitNormalizationArgs& a, V& v) {
  nn::visit_axes(v, "axis", a.axis);
  nn::visit_layer(a, v);
}

namespace {

class RMSNormalizationLayer : public nn::NormalizationLayer<RMSNormalizationArgs> {
 public:
  RMSNormalizationLayer(const RMSNormalizationArgs& args, std::source_location created)
      : NormalizationLayer("RMSNormalization", args, created) {}

  void build(const Shape& input) override {
    std::sort(args_.axis.values.begin(), args_.axis.values.end());
    args_.axis.is_list = true;  // as Keras writes it once built
    std::vector<int64_t> shape;
    for (int64_t axis : args_.axis.values) shape.push_back(known_size(input, axis));
    scale_ = add_weight("scale", {.shape = Shape(shape), .initializer = "ones"});
  }

  CallSignature call_signature() const override { return {{"x"}, {}}; }

  // As in Keras, the scale broadcasts along the last axes, whichever axes are normalised.
  Tensor call(const Tensor& given, const CallArgs&) override {
    const Tensor x = nn::at_least_float32(given);
    const auto axes = nn::normalized(args_.axis, x.shape().rank());
    const Tensor mean = ops::mean(ops::square(x), {.axis = axes, .keepdims = true});
    const Tensor y = x * ops::rsqrt(mean + args_.epsilon);
    return ops::cast(y * ops::cast(scale_, x.dtype()), given.dtype());
  }

 private:
  Variable scale_;
};

class UnitNormalizationLayer : public nn::NormalizationLayer<UnitNormalizationArgs> {
 public:
  UnitNormalizationLayer(const UnitNormalizationArgs& args, std::source_location created)
      : NormalizationLayer("UnitNormalization", args, created) {
    supports_masking = true;
  }

  void build(const Shape& input) override {
    for (int64_t axis : args_.axis.values)
      if (axis < -input.rank() || axis >= input.rank())
        fail(fmt::format("axis {} is out of range for input {}.", axis, to_string(input)));
  }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return nn::unit_vectors(x, nn::normalized(args_.axis, x.shape().rank()), 1e-12);
  }
};

const nn::RegisterLayer<RMSNormalizationArgs> rms{"RMSNormalization", RMSNormalization};
const nn::RegisterLayer<UnitNormalizationArgs> unit{"UnitNormalization", UnitNormalization};

}  // namespace

LayerRef RMSNormalization(const RMSNormalizationArgs& args, std::source_location created) {
  return make_layer<RMSNormalizationLayer>(args, created);
}
LayerRef UnitNormalization(const UnitNormalizationArgs& args, std::source_location created) {
  return make_layer<UnitNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
