#include "stoker/loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/emit.h"
#include "nn/config/function_object.h"
#include "nn/config/registry.h"
#include "nn/losses/values.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker {
namespace {

std::string checked_reduction(const std::string& reduction) {
  static const std::vector<std::string> known = {"sum_over_batch_size", "sum", "mean",
                                                 "mean_with_sample_weight", "none"};
  if (reduction.empty()) return "none";  // Python's None
  if (std::find(known.begin(), known.end(), reduction) == known.end())
    throw InvalidArgument(fmt::format("unknown reduction \"{}\".", reduction),
                          did_you_mean(reduction, known));
  return reduction;
}

struct Weighted {
  Tensor values, weight;
};
Weighted weigh(const Tensor& values, const Tensor& sample_weight, const std::string& name) {
  if (!sample_weight.defined()) return {values, {}};
  const auto [v, w] = nn::to_same_rank(values, ops::cast(sample_weight, values.dtype()));
  try {
    return {v * w, w};
  } catch (Error&) {
    throw InvalidArgument(fmt::format("[{}] sample weights {} do not fit the loss values {}.", name,
                                      to_string(sample_weight.shape()), to_string(values.shape())),
                          "weights have shape (batch,), or (batch, 1) for sequences.");
  }
}

// Every rank computes the same loss, and the gradient of its own rows' part of it.
Tensor over_ranks(const Tensor& sum) { return ops::all_reduce(sum, ops::ReduceGradient::local); }

// A mask as weights. A mean is then over the unmasked values only.
Tensor mask_weight(const Tensor& mask, const std::string& reduction, DType dtype) {
  const Tensor ones = ops::cast(mask, dtype);
  if (reduction != "mean" && reduction != "sum_over_batch_size") return ones;
  const Tensor all = graph::scalar_like(ones, ops::count_over_ranks(mask));
  return ones * nn::divide_no_nan(all, over_ranks(ops::sum(ones)));
}

Tensor all_of(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return ops::logical_and(a, b);
}

Tensor both(const Tensor& mask_weight, const Tensor& sample_weight) {
  if (!sample_weight.defined()) return mask_weight;
  const auto [m, w] = nn::to_same_rank(mask_weight, ops::cast(sample_weight, mask_weight.dtype()));
  return m * w;
}

class FunctionLoss : public Loss {
 public:
  FunctionLoss(LossRef::Function function, std::string name)
      : Loss(std::move(name)), function_(std::move(function)) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return function_(y_true, y_pred);
  }

 private:
  LossRef::Function function_;
};

}  // namespace

Loss::Loss(std::string name, std::string reduction, DType dtype)
    : name_(std::move(name)), reduction_(checked_reduction(reduction)), dtype_(dtype) {}

Config Loss::get_config() const {
  return Config::map({{"name", name_}, {"reduction", reduction_}});
}

int64_t Loss::label_classes(const TensorType&) const { return 0; }
Tensor Loss::mask(const Tensor&, const Tensor&) const { return {}; }

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) const {
  const graph::PathScope path(name_);
  const Tensor output = ops::cast(y_pred, dtype_);
  // Labels stay integers: they are indices.
  const bool labels = label_classes(output.type()) > 0;
  const Tensor target = labels ? y_true : ops::cast(y_true, dtype_);
  const Tensor counted = all_of(y_pred.mask(), mask(target, output));
  const auto [values, weight] =
      weigh(call(target, output),
            counted.defined() ? both(mask_weight(counted, reduction_, dtype_), sample_weight)
                              : sample_weight,
            name_);
  if (reduction_ == "none") return values;
  if (values.shape().rank() == 0) return ops::mean_over_ranks(values);
  const Tensor total = over_ranks(ops::sum(values));
  if (reduction_ == "sum") return total;
  if (reduction_ == "mean_with_sample_weight" && weight.defined())
    return nn::divide_no_nan(total, over_ranks(ops::sum(weight)));
  return total * (1.0 / std::max(ops::count_over_ranks(values), 1.0));
}

LossRef::LossRef(const Config& config)
    : LossRef(nn::Registry<LossRef>::instance().make(
          nn::without_wrapper(config, "LossFunctionWrapper"), "loss")) {}

LossRef::LossRef(Function function, std::string name)
    : loss_(std::make_shared<FunctionLoss>(std::move(function), std::move(name))) {}

}  // namespace stoker
