#include "stoker/layers/batch_normalization.h"

#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/normalization.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

namespace {
// Keras 2 wrote the axis as a list of one.
template <class V>
void visit_axis(int64_t& axis, V& v) {
  Config config = axis;
  v("axis", config);
  const bool listed = config.is_list() && config.as_list().size() == 1;
  axis = (listed ? config.as_list()[0] : config).as_int();
}
}  // namespace

template <class V>
void visit(BatchNormalizationArgs& a, V& v) {
  visit_axis(a.axis, v);
  v("momentum", a.momentum);
  v("epsilon", a.epsilon);
  v("center", a.center);
  v("scale", a.scale);
  v("beta_initializer", a.beta_initializer);
  v("gamma_initializer", a.gamma_initializer);
  v("moving_mean_initializer", a.moving_mean_initializer);
  v("moving_variance_initializer", a.moving_variance_initializer);
  v("beta_regularizer", a.beta_regularizer);
  v("gamma_regularizer", a.gamma_regularizer);
  v("beta_constraint", a.beta_constraint);
  v("gamma_constraint", a.gamma_constraint);
  v.fixed("synchronized", false);
  v.fixed("renorm", false);
  v.fixed("renorm_clipping", Config());
  v.fixed("renorm_momentum", 0.99);
  nn::visit_layer(a, v);
}

namespace {

class BatchNormalizationLayer : public nn::ArgsLayer<BatchNormalizationArgs> {
 public:
  BatchNormalizationLayer(const BatchNormalizationArgs& args, std::source_location created)
      : ArgsLayer("BatchNormalization", args, created) {
    supports_masking = true;
  }

  void build(const Shape& input) override {
    if (args_.axis < -input.rank() || args_.axis >= input.rank())
      fail(fmt::format("axis {} is out of range for input {}.", args_.axis, to_string(input)));
    axis_ = normalize_axis(args_.axis, input.rank());
    size_ = input[axis_];
    if (size_ == unknown)
      fail(
          fmt::format("needs to know axis {} of its input, got {}.", args_.axis, to_string(input)));
    if (args_.scale)
      gamma_ = add_weight("gamma", {.shape = {size_},
                                    .initializer = args_.gamma_initializer,
                                    .regularizer = args_.gamma_regularizer,
                                    .constraint = args_.gamma_constraint,
                                    .autocast = false});
    if (args_.center)
      beta_ = add_weight("beta", {.shape = {size_},
                                  .initializer = args_.beta_initializer,
                                  .regularizer = args_.beta_regularizer,
                                  .constraint = args_.beta_constraint,
                                  .autocast = false});
    moving_mean_ = average("moving_mean", args_.moving_mean_initializer);
    moving_variance_ = average("moving_variance", args_.moving_variance_initializer);
  }

  // float16 overflows in a sum of squares: what is narrower is computed in float32.
  Tensor call(const Tensor& given, const CallArgs& args) override {
    if (in_one(given, args)) return normalize_in_one(given);
    const Tensor x = is_half(given.dtype()) ? ops::cast(given, DType::float32) : given;
    return ops::cast(normalize(x, args), compute_dtype());
  }

 private:
  // The common case is one op: by the batch's own statistics, channels last, all rows counting.
  bool in_one(const Tensor& x, const CallArgs& args) const {
    return args.training && trainable() && !args.mask().defined() &&
           axis_ == x.shape().rank() - 1 && axis_ > 0 && x.shape()[axis_] == size_ &&
           x.dtype() == compute_dtype() && x.shape().size() > 0;
  }
  Tensor normalize_in_one(const Tensor& x) const {
    const DType wide = is_half(x.dtype()) ? DType::float32 : x.dtype();
    const auto row = [&](const Variable& weight, double otherwise) {
      return weight.defined() ? ops::cast(weight, wide) : ops::fill({size_}, otherwise, wide);
    };
    const auto normal = ops::batch_norm(x, row(gamma_, 1), row(beta_, 0), args_.epsilon);
    move(moving_mean_, normal.mean);
    move(moving_variance_, normal.variance);
    return normal.y;
  }

  Tensor normalize(const Tensor& x, const CallArgs& args) {
    if (axis_ >= x.shape().rank() || x.shape()[axis_] != size_)
      fail(fmt::format("expects {} at axis {}, got input {}.", size_, args_.axis,
                       to_string(x.shape())));
    if (!args.training || !trainable())
      return finish(x - spread(moving_mean_, x), like(x, moving_variance_));
    const Tensor counted = weights_of(x, args.mask());
    const Tensor mean = batch_mean(x, counted);
    const Tensor centered = x - spread(mean, x);
    const Tensor variance = batch_mean(ops::square(centered), counted);
    move(moving_mean_, mean);
    move(moving_variance_, variance);
    return finish(centered, variance);
  }

  Variable average(const char* name, const Initializer& initializer) {
    return add_weight(
        name,
        {.shape = {size_}, .initializer = initializer, .trainable = false, .autocast = false});
  }

  Tensor finish(const Tensor& centered, const Tensor& variance) const {
    Tensor scale = ops::rsqrt(variance + args_.epsilon);
    if (args_.scale) scale = scale * like(centered, gamma_);
    const Tensor y = centered * spread(scale, centered);
    return args_.center ? y + spread(beta_, centered) : y;
  }

  // 1 for every value that counts and 0 for the others; undefined where all count.
  Tensor weights_of(const Tensor& x, const Tensor& mask) const {
    if (!mask.defined()) return {};
    if (mask.shape().rank() != x.shape().rank() - 1)
      fail(fmt::format("takes a mask of one dimension less than its input {}, got {}.",
                       to_string(x.shape()), to_string(mask.shape())));
    const Tensor column = ops::expand_dims(ops::cast(mask, x.dtype()), -1);
    return ops::broadcast_to(column, x.shape());
  }

  Tensor batch_mean(const Tensor& x, const Tensor& counted) const {
    std::vector<int64_t> others;
    for (int i = 0; i < x.shape().rank(); ++i)
      if (i != axis_) others.push_back(i);
    if (!counted.defined()) return ops::mean(x, {.axis = others});
    constexpr double epsilon = 1e-7;  // Keras's, against a mask that lets nothing through
    const Tensor total =
        ops::sum(ops::where(ops::greater(counted, 0.5), x, ops::zeros_like(x)), {.axis = others});
    return total / (ops::sum(counted, {.axis = others}) + epsilon);
  }

  void move(const Variable& average, const Tensor& now) const {
    const Tensor moved = like(now, average) * args_.momentum + now * (1 - args_.momentum);
    average.assign(ops::cast(moved, average.dtype()));
  }

  // Lines the one dimension of a weight up with the axis; the last one lines up by itself.
  Tensor spread(const Tensor& weight, const Tensor& x) const {
    const Tensor row = like(x, weight);
    if (axis_ == x.shape().rank() - 1) return row;
    std::vector<int64_t> dims(static_cast<size_t>(x.shape().rank()), 1);
    dims[static_cast<size_t>(axis_)] = size_;
    return ops::reshape(row, Shape(std::move(dims)));
  }
  static Tensor like(const Tensor& x, const Tensor& weight) { return ops::cast(weight, x.dtype()); }

  int axis_ = 0;
  int64_t size_ = 0;
  Variable gamma_, beta_, moving_mean_, moving_variance_;
};

const nn::RegisterLayer<BatchNormalizationArgs> registered{"BatchNormalization",
                                                           BatchNormalization};

}  // namespace

LayerRef BatchNormalization(const BatchNormalizationArgs& args, std::source_location created) {
  return make_layer<BatchNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
