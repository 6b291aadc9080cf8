#include <algorithm>

#include "nn/config/axes.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/adaptable.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {
namespace {

constexpr double least_deviation = 1e-7;  // Keras's epsilon()

void flatten(const Config& numbers, std::vector<double>& out) {
  if (numbers.is_number()) return out.push_back(numbers.as_double());
  for (const Config& item : numbers.as_list()) flatten(item, out);
}

std::vector<int64_t> dims_of(const Config& numbers) {
  std::vector<int64_t> dims;
  for (const Config* at = &numbers; at->is_list(); at = &at->as_list()[0]) {
    dims.push_back(static_cast<int64_t>(at->as_list().size()));
    if (at->as_list().empty()) break;
  }
  return dims;
}

}  // namespace

template <class V>
void visit(NormalizationArgs& a, V& v) {
  nn::visit_axis_list(v, "axis", a.axis);
  v("invert", a.invert);
  v("mean", a.mean);
  v("variance", a.variance);
  nn::visit_layer(a, v);
}

namespace {

class NormalizationLayer : public nn::ArgsLayer<NormalizationArgs>, public nn::Adaptable {
 public:
  NormalizationLayer(const NormalizationArgs& args, std::source_location created)
      : ArgsLayer("Normalization", args, created) {
    supports_masking = true;
    if (args.mean.is_null() != args.variance.is_null())
      fail(fmt::format("takes both mean and variance or none, got mean {} and variance {}.",
                       args.mean.to_string(), args.variance.to_string()));
    if (dims_of(args.mean) != dims_of(args.variance))
      fail("mean and variance must have the same shape.");
  }

  void build(const Shape& input) override {
    broadcast_ = Shape(std::vector<int64_t>(static_cast<size_t>(input.rank()), 1));
    std::vector<int> kept;
    for (int64_t axis : args_.axis) kept.push_back(checked_axis(axis, input));
    std::ranges::sort(kept);
    std::vector<int64_t> own;
    for (int axis : kept) own.push_back(broadcast_[axis] = input[axis]);
    own_shape_ = Shape(own);
    kept_ = kept;
    if (!args_.mean.is_null()) return;
    mean_ = add_weight("mean", {.shape = own_shape_, .initializer = "zeros", .trainable = false});
    variance_ =
        add_weight("variance", {.shape = own_shape_, .initializer = "ones", .trainable = false});
    add_weight("count",
               {.shape = {}, .initializer = "zeros", .trainable = false, .dtype = DType::int32});
  }

  Tensor call(const Tensor& given, const CallArgs&) override {
    const Tensor x = ops::cast(given, compute_dtype());
    const Tensor mean = mean_.defined() ? spread(mean_) : spread(args_.mean);
    const Tensor variance = variance_.defined() ? spread(variance_) : spread(args_.variance);
    const Tensor deviation = ops::maximum(ops::sqrt(variance), least_deviation);
    return args_.invert ? mean + x * deviation : (x - mean) / deviation;
  }

  void adapt(const Array& data) override {
    adapt_to_parts([&, given = false]() mutable {
      return std::exchange(given, true) ? std::nullopt : std::optional(data);
    });
  }
  void adapt_to_parts(const nn::DataParts& parts) override {
    Moments all;
    while (const auto part = parts()) {
      check(*part);
      add(all, *part);
    }
    if (all.count == 0) fail("was given no data to adapt to.");
    for (double& variance : all.variance) variance /= all.count;
    mean_.set(Array::from(all.mean, own_shape_).astype(mean_.dtype()));
    variance_.set(Array::from(all.variance, own_shape_).astype(variance_.dtype()));
  }

  bool has_yet_to_adapt() const override {
    const auto all = [](const Variable& weight, double value) {
      const Array numbers = weight.array();
      for (int64_t i = 0; i < numbers.size(); ++i)
        if (numbers.at(i) != value) return false;
      return true;
    };
    return mean_.defined() && all(mean_, 0) && all(variance_, 1);
  }

 private:
  // Moments of each slot; `variance` is the sum of squared deviations until the end.
  struct Moments {
    double count = 0;
    std::vector<double> mean, variance;
  };

  void check(const Array& data) {
    if (!args_.mean.is_null()) fail("has its mean and variance as arguments: nothing to adapt.");
    build_once({data.shape()});
    if (data.shape().rank() != broadcast_.rank())
      fail(fmt::format("was built for inputs of rank {}, got data {}.", broadcast_.rank(),
                       to_string(data.shape())));
    for (int axis : kept_)
      if (data.shape()[axis] != broadcast_[axis])
        fail(fmt::format("expects {} at axis {}, got data {}.", broadcast_[axis], axis,
                         to_string(data.shape())));
  }

  int checked_axis(int64_t axis, const Shape& input) const {
    if (axis < -input.rank() || axis >= input.rank())
      fail(fmt::format("axis {} is out of range for input {}.", axis, to_string(input)));
    const int at = normalize_axis(axis, input.rank());
    if (input[at] == unknown)
      fail(fmt::format("needs to know axis {} of its input, got {}.", axis, to_string(input)));
    return at;
  }

  // The slot of element i of the data.
  int64_t slot(int64_t i, const Shape& shape) const {
    int64_t place = 0, stride = 1;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (std::ranges::find(kept_, d) != kept_.end()) {
        place += i % shape[d] * stride;
        stride *= shape[d];
      }
      i /= shape[d];
    }
    return place;
  }

  Moments moments_of(const Array& data) const {
    const auto size = static_cast<size_t>(own_shape_.size());
    std::vector<double> mean(size), variance(size);
    const double share = static_cast<double>(size) / static_cast<double>(data.size());
    for (int64_t i = 0; i < data.size(); ++i)
      mean[static_cast<size_t>(slot(i, data.shape()))] += data.at(i) * share;
    for (int64_t i = 0; i < data.size(); ++i) {
      const auto k = static_cast<size_t>(slot(i, data.shape()));
      variance[k] += (data.at(i) - mean[k]) * (data.at(i) - mean[k]);
    }
    return {static_cast<double>(data.size()) / static_cast<double>(size), std::move(mean),
            std::move(variance)};
  }
  // Chan et al.'s parallel algorithm, which is numerically stable for any number of parts.
  void add(Moments& all, const Array& data) const {
    if (data.size() == 0) return;
    const Moments more = moments_of(data);
    if (all.count == 0) {
      all = more;
      return;
    }
    const double count = all.count + more.count;
    for (size_t k = 0; k < all.mean.size(); ++k) {
      const double away = more.mean[k] - all.mean[k];
      all.mean[k] += away * more.count / count;
      all.variance[k] += more.variance[k] + away * away * all.count * more.count / count;
    }
    all.count = count;
  }

  Tensor spread(const Variable& weight) const {
    return ops::cast(ops::reshape(weight, broadcast_), compute_dtype());
  }
  // A given mean has the shape of the last axis.
  Tensor spread(const Config& numbers) const {
    std::vector<double> values;
    flatten(numbers, values);
    const auto dims = dims_of(numbers);
    if (dims.size() > kept_.size())
      fail(fmt::format("mean has rank {} for {} axes.", dims.size(), kept_.size()));
    Shape shape(std::vector<int64_t>(static_cast<size_t>(broadcast_.rank()), 1));
    for (size_t i = 1; i <= dims.size(); ++i)
      shape[kept_[kept_.size() - i]] = dims[dims.size() - i];
    return Array::from(values, shape).astype(compute_dtype());
  }

  Shape broadcast_, own_shape_;
  std::vector<int> kept_;
  Variable mean_, variance_;
};

const nn::RegisterLayer<NormalizationArgs> registered{"Normalization", Normalization};

}  // namespace

LayerRef Normalization(const NormalizationArgs& args, std::source_location created) {
  return make_layer<NormalizationLayer>(args, created);
}

}  // namespace stoker::layers
