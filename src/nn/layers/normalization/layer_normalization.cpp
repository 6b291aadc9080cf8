#include "nn/config/axes.h"
#include "nn/layers/normalization/normalization_layer.h"
#include "stoker/layers/normalization.h"
#include "stoker/ops/normalization.h"

namespace stoker::layers {

template <class V>
void visit(LayerNormalizationArgs& a, V& v) {
  nn::visit_axes(v, "axis", a.axis);
  v("epsilon", a.epsilon);
  v("center", a.center);
  v("scale", a.scale);
  v("rms_scaling", a.rms_scaling);
  v("beta_initializer", a.beta_initializer);
  v("gamma_initializer", a.gamma_initializer);
  v("beta_regularizer", a.beta_regularizer);
  v("gamma_regularizer", a.gamma_regularizer);
  v("beta_constraint", a.beta_constraint);
  v("gamma_constraint", a.gamma_constraint);
  nn::visit_layer(a, v);
}

namespace {

class LayerNormalizationLayer : public nn::NormalizationLayer<LayerNormalizationArgs> {
 public:
  LayerNormalizationLayer(const LayerNormalizationArgs& args, std::source_location created)
      : NormalizationLayer("LayerNormalization", args, created) {
    autocast = false;
    supports_masking = true;
  }

  void build(const Shape& input) override {
    std::sort(args_.axis.values.begin(), args_.axis.values.end());
    args_.axis.is_list = true;  // as Keras writes it once built
    std::vector<int64_t> shape;
    for (int64_t axis : args_.axis.values) shape.push_back(known_size(input, axis));
    shape_ = Shape(shape);
    add_gamma_and_beta(shape_, args_.scale || args_.rms_scaling,
                       args_.center && !args_.rms_scaling);
  }

  Tensor call(const Tensor& given, const CallArgs&) override {
    const Tensor x = nn::at_least_float32(given);
    const auto axes = nn::normalized(args_.axis, x.shape().rank());
    Shape lined_up(std::vector<int64_t>(static_cast<size_t>(x.shape().rank()), 1));
    for (size_t i = 0; i < axes.size(); ++i) {
      const int axis = static_cast<int>(axes[i]);
      lined_up[axis] = shape_[static_cast<int>(i)];
      if (x.shape()[axis] != lined_up[axis])
        fail(fmt::format("expects {} at axis {}, got input {}.", lined_up[axis], axis,
                         to_string(x.shape())));
    }
    if (is_trailing(axes, x.shape().rank()))
      return ops::cast(nn::as_given(in_one(is_floating(given.dtype()) ? given : x), given),
                       compute_dtype());
    const auto [centered, variance] = nn::moments(x, axes);
    const Tensor y =
        finish(args_.rms_scaling ? x : centered, ops::rsqrt(variance + args_.epsilon), lined_up);
    return ops::cast(nn::as_given(y, given), compute_dtype());
  }

 private:
  bool is_trailing(const std::vector<int64_t>& axes, int rank) const {
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i] != rank - static_cast<int64_t>(axes.size() - i)) return false;
    return !args_.rms_scaling;
  }
  // The common case, normalising the last axes, is one fused op.
  Tensor in_one(const Tensor& x) const {
    const DType wide = is_half(x.dtype()) ? DType::float32 : x.dtype();
    const int64_t size = shape_.size();
    const auto row = [&](const Variable& weight, double otherwise) {
      return weight.defined() ? ops::reshape(ops::cast(weight, wide), {size})
                              : ops::fill({size}, otherwise, wide);
    };
    const Tensor y =
        ops::layer_norm(ops::reshape(x, {-1, size}), row(gamma_, 1), row(beta_, 0), args_.epsilon);
    return ops::reshape(y, x.shape());
  }

  Shape shape_;
};

const nn::RegisterLayer<LayerNormalizationArgs> registered{"LayerNormalization",
                                                           LayerNormalization};

}  // namespace

LayerRef LayerNormalization(const LayerNormalizationArgs& args, std::source_location created) {
  return make_layer<LayerNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
