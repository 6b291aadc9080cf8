#include "stoker/metrics/auc.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/confusion/confusion.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

// A list, or Keras's form of a tensor: {"class_name": "__tensor__", "config": {"value": …}}.
template <class V>
static void visit_label_weights(AUCArgs& a, V& v) {
  Config::List rounded;
  for (double weight : a.label_weights)
    rounded.emplace_back(static_cast<double>(static_cast<float>(weight)));
  Config weights;
  if (!rounded.empty())
    weights =
        nn::make_object("__tensor__", Config::map({{"value", rounded}, {"dtype", "float32"}}));
  v("label_weights", weights);
  a.label_weights.clear();
  const Config* tensor = weights.find("config");
  const Config* values = tensor ? tensor->find("value") : &weights;
  if (values && !values->is_null())
    for (const Config& weight : values->as_list()) a.label_weights.push_back(weight.as_double());
}

template <class V>
void visit(AUCArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("num_thresholds", a.num_thresholds);
  v("curve", a.curve);
  v("summation_method", a.summation_method);
  v("multi_label", a.multi_label);
  v("num_labels", a.num_labels);
  visit_label_weights(a, v);
  v("from_logits", a.from_logits);
  if (!std::is_same_v<V, nn::ArgsWriter> || !a.thresholds.empty())
    nn::visit_thresholds(v, a.thresholds);
}

namespace {

using nn::Count;

// With thresholds slightly outside [0, 1] at both ends, so that the curve is complete.
std::vector<double> thresholds_of(const AUCArgs& args) {
  std::vector<double> all = args.thresholds;
  std::ranges::sort(all);
  if (all.empty())
    for (double t : nn::even_thresholds(args.num_thresholds))
      if (t > 0 && t < 1) all.push_back(t);
  all.insert(all.begin(), -1e-7);
  all.push_back(1 + 1e-7);
  return all;
}

std::string one_of(const std::string& what, std::string value,
                   const std::vector<std::string>& known) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  for (const std::string& name : known)
    if (lower(name) == lower(value)) return name;
  throw InvalidArgument(fmt::format("[auc] unknown {} \"{}\".", what, value),
                        did_you_mean(value, known));
}

AUCArgs checked(AUCArgs args) {
  nn::checked_thresholds(args.name, args.thresholds, 0);
  if (!args.thresholds.empty())
    args.num_thresholds = static_cast<int64_t>(args.thresholds.size()) + 2;
  if (args.num_thresholds <= 1)
    throw InvalidArgument(fmt::format("[{}] num_thresholds is {}.", args.name, args.num_thresholds),
                          "it must be 2 or more.");
  if (args.num_labels && !args.multi_label)
    throw InvalidArgument(
        fmt::format("[{}] has {} num_labels without multi_label.", args.name, *args.num_labels));
  args.curve = one_of("curve", args.curve, {"ROC", "PR", "PRGAIN"});
  args.summation_method =
      one_of("summation_method", args.summation_method, {"interpolation", "minoring", "majoring"});
  return args;
}

class Area : public nn::MetricOf<AUCArgs> {
 public:
  explicit Area(const AUCArgs& args)
      : MetricOf("AUC", args),
        confusion_{.thresholds = thresholds_of(args),
                   .multi_label = args.multi_label,
                   .label_weights = args.label_weights} {
    if (!args.multi_label || args.num_labels) build(args.num_labels.value_or(0));
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    if (counts_.empty()) {
      if (y_pred.shape().rank() != 2)
        throw InvalidArgument(fmt::format("[{}] multi_label needs outputs (batch, labels), got {}.",
                                          name(), to_string(y_pred.shape())));
      build(y_pred.shape()[1]);
    }
    const Tensor outputs = args_.from_logits ? ops::sigmoid(y_pred) : y_pred;
    const nn::Confusion now(name(), confusion_, y_true, outputs, sample_weight, dtype());
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_[i].assign(counts_[i] + now[static_cast<Count>(i)]);
  }

  Tensor result() const override {
    if (counts_.empty()) return Tensor(Array(dtype(), {}));
    const bool integrates = args_.curve == "PR" && args_.summation_method == "interpolation";
    const Tensor area = ops::sum(integrates ? precision_integral() : strips(), {.axis = {0}});
    if (!args_.multi_label) return area;
    if (args_.label_weights.empty()) return ops::mean(area);
    Array weights(DType::float64, {area.shape()[0]});
    std::ranges::copy(args_.label_weights, weights.mutable_data<double>().begin());
    const Tensor w(weights.astype(dtype()));
    return nn::divide_no_nan(ops::sum(area * w), ops::sum(w));
  }

 private:
  void build(int64_t labels) {
    const auto n = static_cast<int64_t>(confusion_.thresholds.size());
    for (const char* count :
         {"true_positives", "false_positives", "true_negatives", "false_negatives"})
      counts_.push_back(add_variable(count, args_.multi_label ? Shape{n, labels} : Shape{n}));
  }
  Tensor sum_of(Count count) const { return counts_.at(static_cast<size_t>(count)); }
  // Without the last or the first threshold.
  Tensor part(const Tensor& x, int64_t start) const {
    auto size = x.shape().dims();
    --size[0];
    std::vector<int64_t> from(size.size(), 0);
    from[0] = start;
    return ops::slice(x, from, size);
  }
  Tensor before(const Tensor& x) const { return part(x, 0); }
  Tensor after(const Tensor& x) const { return part(x, 1); }

  // The area under the precision-recall curve, interpolated as by Davis and Goadrich.
  Tensor precision_integral() const {
    const Tensor tp = sum_of(Count::true_positives), p = tp + sum_of(Count::false_positives);
    const Tensor hits = before(tp) - after(tp);
    const Tensor slope = nn::divide_no_nan(hits, ops::maximum(before(p) - after(p), 0.0));
    const Tensor intercept = after(tp) - slope * after(p);
    const Tensor both = ops::logical_and(ops::greater(before(p), 0.0), ops::greater(after(p), 0.0));
    const Tensor ratio = ops::where(both, nn::divide_no_nan(before(p), ops::maximum(after(p), 0.0)),
                                    graph::scalar_like(p, 1));
    const Tensor positives = after(tp) + after(sum_of(Count::false_negatives));
    return nn::divide_no_nan(slope * (hits + intercept * ops::log(ratio)),
                             ops::maximum(positives, 0.0));
  }

  struct Curve {
    Tensor x, y;
  };
  Curve curve() const {
    const Tensor tp = sum_of(Count::true_positives), fp = sum_of(Count::false_positives),
                 tn = sum_of(Count::true_negatives), fn = sum_of(Count::false_negatives);
    if (args_.curve == "ROC")
      return {nn::divide_no_nan(fp, fp + tn), nn::divide_no_nan(tp, tp + fn)};
    if (args_.curve == "PR")
      return {nn::divide_no_nan(tp, tp + fn), nn::divide_no_nan(tp, tp + fp)};
    const Tensor odds = nn::divide_no_nan(tp + fn, tn + fp), none = ops::equal(tp, 0.0);
    const auto gain = [&](const Tensor& wrong, double of_none) {
      const Tensor value = 1.0 - odds * nn::divide_no_nan(wrong, tp);
      return ops::where(none, graph::scalar_like(value, of_none), value);
    };
    return {ops::maximum(gain(fn, 0), 0.0), gain(fp, 1)};
  }
  Tensor strips() const {
    const auto [x, y] = curve();
    const Tensor left = before(y), right = after(y);
    const Tensor height = args_.summation_method == "interpolation" ? (left + right) / 2.0
                          : args_.summation_method == "minoring"    ? ops::minimum(left, right)
                                                                    : ops::maximum(left, right);
    return (before(x) - after(x)) * height;
  }

  nn::ConfusionArgs confusion_;
  std::vector<Variable> counts_;  // in the order of Count
};

const nn::RegisterMetric<AUCArgs> registered{"AUC", AUC};

}  // namespace

std::shared_ptr<Metric> AUC(const AUCArgs& args) { return std::make_shared<Area>(checked(args)); }

}  // namespace stoker::metrics
