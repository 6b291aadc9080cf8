#include "stoker/layers/batch_normalization.h"

#include <cmath>

#include "distribution/slice.h"
#include "nn/layers/normalization/normalization_layer.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/normalization.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

namespace {
// Keras 2 wrote the axis as a list with one element.
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
  v("synchronized", a.synchronized);
  v("renorm", a.renorm);
  v("renorm_clipping", a.renorm_clipping);
  v("renorm_momentum", a.renorm_momentum);
  nn::visit_layer(a, v);
}

namespace {

// The square root of another initializer's values: standard deviations instead of variances.
struct RootOf : Initializer::Impl {
  explicit RootOf(Initializer o) : other(std::move(o)) {}
  Array make(const Shape& shape, DType dtype, uint64_t seed) const override {
    Array roots = other(shape, DType::float32, seed).clone();
    for (float& number : roots.mutable_data<float>()) number = std::sqrt(number);
    return roots.astype(dtype);
  }
  std::string class_name() const override { return nn::parse_object(other.to_config()).class_name; }
  Config get_config() const override { return nn::parse_object(other.to_config()).config; }
  Initializer other;
};

// Batch renormalisation: r and d in (x r + d), where x is the normalised input.
struct Correction {
  Tensor r, d;
};

class BatchNormalizationLayer : public nn::ArgsLayer<BatchNormalizationArgs> {
 public:
  BatchNormalizationLayer(const BatchNormalizationArgs& args, std::source_location created)
      : ArgsLayer("BatchNormalization", args, created) {
    supports_masking = true;
    if (args.renorm) check_clipping();
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
    if (!args_.renorm) return;
    const Initializer deviation(std::make_shared<RootOf>(args_.moving_variance_initializer));
    moving_stddev_ = average("moving_stddev", deviation);
    renorm_mean_ = average("renorm_mean", args_.moving_mean_initializer);
    renorm_stddev_ = average("renorm_stddev", deviation);
  }

  // A sum of squares overflows float16: narrower types are computed in float32.
  Tensor call(const Tensor& given, const CallArgs& args) override {
    if (in_one(given, args)) return normalize_in_one(given);
    const Tensor x = nn::at_least_float32(given);
    return ops::cast(normalize(x, args), compute_dtype());
  }

 private:
  // The common case is one fused op: batch statistics, channels last, no mask.
  bool in_one(const Tensor& x, const CallArgs& args) const {
    return args.training && trainable() && !args_.renorm && !args.mask().defined() &&
           !joins_ranks() && axis_ == x.shape().rank() - 1 && axis_ > 0 &&
           x.shape()[axis_] == size_ && x.dtype() == compute_dtype() && x.shape().size() > 0;
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
    if (args_.renorm) return finish(centered, variance, renormalize(mean, variance));
    move(moving_mean_, mean);
    move(moving_variance_, variance);
    return finish(centered, variance);
  }

  void check_clipping() {
    if (args_.renorm_clipping.is_null()) args_.renorm_clipping = Config::map();
    for (const auto& [key, value] : args_.renorm_clipping.as_map())
      if (key != "rmin" && key != "rmax" && key != "dmax")
        fail(fmt::format("renorm_clipping has no \"{}\".", key), "it has rmin, rmax and dmax.");
    if (limit("rmax", HUGE_VAL) <= limit("rmin", 0))
      fail(fmt::format("rmax of renorm_clipping must be above rmin, got {}.",
                       args_.renorm_clipping.to_string()));
    if (limit("dmax", HUGE_VAL) < 0)
      fail(fmt::format("dmax of renorm_clipping must not be negative, got {}.",
                       limit("dmax", HUGE_VAL)));
  }
  double limit(const char* key, double otherwise) const {
    const Config* given = args_.renorm_clipping.find(key);
    return given && !given->is_null() ? given->as_double() : otherwise;
  }

  // Corrects towards the moving averages, which are then updated, as are those for inference.
  Correction renormalize(const Tensor& mean, const Tensor& variance) const {
    const Tensor stddev = ops::sqrt(variance + args_.epsilon);
    const Tensor usual = ops::maximum(like(mean, renorm_stddev_), std::sqrt(args_.epsilon));
    const Tensor r = stddev / usual, d = (mean - like(mean, renorm_mean_)) / usual;
    const double furthest = limit("dmax", HUGE_VAL);
    const Correction correction{
        ops::stop_gradient(ops::clip(r, limit("rmin", 0), limit("rmax", HUGE_VAL))),
        ops::stop_gradient(ops::clip(d, -furthest, furthest))};
    move(renorm_mean_, mean, args_.renorm_momentum);
    move(renorm_stddev_, stddev, args_.renorm_momentum);
    move(moving_mean_, mean);
    move(moving_stddev_, stddev);
    const Tensor moved = moving_stddev_;
    moving_variance_.assign(ops::relu(moved * moved - args_.epsilon));
    return correction;
  }

  Variable average(const char* name, const Initializer& initializer) {
    return add_weight(
        name,
        {.shape = {size_}, .initializer = initializer, .trainable = false, .autocast = false});
  }

  Tensor finish(const Tensor& centered, const Tensor& variance,
                const Correction& correction = {}) const {
    Tensor scale = ops::rsqrt(variance + args_.epsilon);
    if (correction.r.defined()) scale = scale * correction.r;
    if (args_.scale) scale = scale * like(centered, gamma_);
    Tensor y = centered * spread(scale, centered);
    if (correction.d.defined())
      y = y + spread(args_.scale ? correction.d * like(centered, gamma_) : correction.d, centered);
    return args_.center ? y + spread(beta_, centered) : y;
  }

  // 1 for unmasked values and 0 for masked ones; undefined without a mask.
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
    const auto sum = [&](const Tensor& values) {
      const Tensor here = ops::sum(values, {.axis = others});
      return joins_ranks() ? ops::all_reduce(here) : here;
    };
    if (!counted.defined() && joins_ranks())
      return sum(x) * (static_cast<double>(size_) / ops::count_over_ranks(x));
    if (!counted.defined()) return ops::mean(x, {.axis = others});
    constexpr double epsilon = 1e-7;  // Keras's value, for a mask that is all zero
    const Tensor total = sum(ops::where(ops::greater(counted, 0.5), x, ops::zeros_like(x)));
    return total / (sum(counted) + epsilon);
  }

  // Statistics over the rows of all ranks instead of this rank's.
  bool joins_ranks() const { return args_.synchronized && distribution::current_slice(); }

  void move(const Variable& average, const Tensor& now) const {
    move(average, now, args_.momentum);
  }
  // If statistics differ between ranks, the averages move by their mean, so that they stay equal on
  // all ranks.
  void move(const Variable& average, const Tensor& here, double momentum) const {
    const Tensor now = joins_ranks() ? here : ops::mean_over_ranks(here);
    const Tensor moved = like(now, average) * momentum + now * (1 - momentum);
    average.assign(ops::cast(moved, average.dtype()));
  }

  // Reshapes a weight so that it broadcasts along the axis; the last axis needs no reshape.
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
  Variable moving_stddev_, renorm_mean_, renorm_stddev_;  // for renorm
};

const nn::RegisterLayer<BatchNormalizationArgs> registered{"BatchNormalization",
                                                           BatchNormalization};

}  // namespace

LayerRef BatchNormalization(const BatchNormalizationArgs& args, std::source_location created) {
  return make_layer<BatchNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
