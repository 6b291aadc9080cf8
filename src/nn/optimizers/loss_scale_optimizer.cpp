#include "stoker/optimizers/loss_scale_optimizer.h"

#include <fmt/format.h>

#include <limits>

#include "distribution/slice.h"
#include "graph/trace.h"
#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/all_finite.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(LossScaleOptimizerArgs& a, V& v) {
  Config inner;
  if (a.inner_optimizer.defined())
    inner = nn::keras_object("keras.optimizers", a.inner_optimizer->class_name(),
                             a.inner_optimizer->get_config());
  v("name", a.name);
  v("inner_optimizer", inner, nn::required);
  if (!a.inner_optimizer.defined()) a.inner_optimizer = OptimizerRef(inner);
  v("initial_scale", a.initial_scale);
  v("dynamic_growth_steps", a.dynamic_growth_steps);
  // Older files contain them; only the inner optimizer's have an effect.
  for (const char* key :
       {"weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
        "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps"})
    v.accept_and_ignore(key);
}

namespace {

Tensor is_true_on_all_ranks(const Tensor& condition) {
  if (!distribution::current_slice()) return condition;
  const Tensor is_false = ops::cast(ops::logical_not(condition), DType::float32);
  return ops::equal(ops::all_reduce(is_false), 0.0);
}

class LossScaling : public Optimizer {
 public:
  explicit LossScaling(const LossScaleOptimizerArgs& args)
      : Optimizer({.learning_rate = 0.0, .name = args.name}),
        args_(args),
        inner_(args.inner_optimizer),
        step_counter_(add_state("step_counter", DType::int64, 0)),
        dynamic_scale_(add_state("dynamic_scale", DType::float32, args.initial_scale)),
        skipped_steps_(add_state("skipped_steps", DType::int64, 0)) {
    inner_->set_loss_scale_factor({});  // otherwise gradients would be scaled twice
  }

  std::string class_name() const override { return "LossScaleOptimizer"; }
  Config get_config() const override { return nn::write_args(args_); }
  void build(const std::vector<Variable>& variables) override {
    inner_->build(variables);
    built_ = true;
  }
  Tensor scale_loss(const Tensor& loss) const override {
    return loss * ops::cast(dynamic_scale_, loss.dtype());
  }
  double loss_scale() const override { return dynamic_scale_.array().at(0); }
  int64_t skipped_steps() const override { return skipped_steps_.array().data<int64_t>()[0]; }
  const Variable& iterations() const override { return inner_->iterations(); }
  double learning_rate() const override { return inner_->learning_rate(); }
  void set_learning_rate(double value) override { inner_->set_learning_rate(value); }
  void finalize_variable_values() override { inner_->finalize_variable_values(); }
  void swap_averages() override { inner_->swap_averages(); }
  void overwrite_averages() override { inner_->overwrite_averages(); }

  const Optimizer* inner_optimizer() const override { return &*inner_; }
  // Keras creates its own two variables when it is built, and lists no attributes of the inner
  // optimizer.
  std::vector<SavedVariable> saved_variables() const override {
    using Kind = SavedVariable::Kind;
    const auto own = Optimizer::variables();
    std::vector<SavedVariable> all{{own[0], Kind::iteration}, {own[1], Kind::learning_rate}};
    if (built_) {
      all.push_back({step_counter_, Kind::step_counter});
      all.push_back({dynamic_scale_, Kind::loss_scale});
    }
    for (const SavedVariable& inside : inner_->saved_variables())
      if (inside.kind != Kind::attribute) all.push_back(inside);
    return all;
  }
  void restore_attributes() override { inner_->restore_attributes(); }
  std::vector<Variable> variables() const override {
    auto all = Optimizer::variables();
    for (const Variable& v : {step_counter_, dynamic_scale_, skipped_steps_}) all.push_back(v);
    const auto inside = inner_->variables();
    all.insert(all.end(), inside.begin(), inside.end());
    return all;
  }

  void apply_gradients(const GradientsAndVariables& scaled) override {
    std::vector<Tensor> gradients;
    std::vector<Variable> states;
    for (const auto& [gradient, variable] : scaled) {
      if (gradient.defined()) gradients.push_back(gradient);
      states.push_back(variable);
    }
    if (gradients.empty()) return inner_->apply_gradients(scaled);  // it reports the error
    const Tensor finite = is_true_on_all_ranks(ops::all_finite(gradients));
    build(states);
    for (const Variable& v : inner_->variables()) states.push_back(v);
    std::vector<Tensor> before;
    for (const Variable& v : states) before.push_back(v.read());
    inner_->apply_gradients(unscaled(scaled));
    for (size_t i = 0; i < states.size(); ++i)
      if (const Tensor now = states[i].read(); !graph::same_value(now, before[i]))
        states[i].assign(ops::where(finite, now, before[i]));
    move_scale(finite);
  }

 protected:
  // The inner optimizer's rule is used.
  void update(const Variable&, const Tensor&, const Tensor&) override {}
  void make_slots(const std::vector<Variable>&) override {}

 private:
  GradientsAndVariables unscaled(const GradientsAndVariables& scaled) const {
    const Tensor scale = dynamic_scale_;
    GradientsAndVariables pairs = scaled;
    for (auto& [gradient, variable] : pairs)
      if (gradient.defined()) gradient = gradient / ops::cast(scale, gradient.dtype());
    return pairs;
  }

  void move_scale(const Tensor& finite) const {
    const Tensor counter = step_counter_, scale = dynamic_scale_, skipped = skipped_steps_;
    const Tensor zero = graph::scalar_like(counter, 0);
    const Tensor grows = ops::equal(counter, static_cast<double>(args_.dynamic_growth_steps - 1));
    step_counter_.assign(ops::where(finite, ops::where(grows, zero, counter + 1.0), zero));
    // Never 0: gradients are divided by it.
    const Tensor less = ops::maximum(scale * 0.5, std::numeric_limits<float>::min());
    dynamic_scale_.assign(ops::where(finite, ops::where(grows, scale * 2.0, scale), less));
    skipped_steps_.assign(ops::where(finite, skipped, skipped + 1.0));
  }

  const LossScaleOptimizerArgs args_;
  OptimizerRef inner_;
  Variable step_counter_, dynamic_scale_, skipped_steps_;
  bool built_ = false;
};

void check(const LossScaleOptimizerArgs& args) {
  if (!args.inner_optimizer.defined())
    throw InvalidArgument("[loss_scale_optimizer] needs an inner_optimizer.");
  if (args.inner_optimizer->class_name() == "LossScaleOptimizer")
    throw InvalidArgument("[loss_scale_optimizer] scales a loss that is scaled already.",
                          "give it the optimizer inside.");
  if (!(args.initial_scale > 0))
    throw InvalidArgument(
        fmt::format("[loss_scale_optimizer] initial_scale is {}.", args.initial_scale),
        "it must be positive.");
  if (args.dynamic_growth_steps < 1)
    throw InvalidArgument(fmt::format("[loss_scale_optimizer] dynamic_growth_steps is {}.",
                                      args.dynamic_growth_steps),
                          "it must be 1 or more.");
}

const nn::RegisterOptimizer<LossScaleOptimizerArgs> registered{"LossScaleOptimizer",
                                                               LossScaleOptimizer};

}  // namespace

std::shared_ptr<Optimizer> LossScaleOptimizer(const LossScaleOptimizerArgs& args) {
  check(args);
  return std::make_shared<LossScaling>(args);
}

}  // namespace stoker::optimizers
