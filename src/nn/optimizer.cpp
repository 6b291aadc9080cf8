#include "stoker/optimizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/emit.h"
#include "graph/trace.h"
#include "nn/config/own_classes.h"
#include "nn/config/registry.h"
#include "nn/optimizers/clipping.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace {

Array filled(DType dtype, const Shape& shape, double value) {
  if (value == 0) return Array(dtype, shape);  // its pages are not touched
  Array array(DType::float32, shape);
  std::ranges::fill(array.mutable_data<float>(), static_cast<float>(value));
  return array.astype(dtype);
}

Variable make_state(const TensorType& type, const std::string& name, double initial) {
  return make_variable(
      type, name, false, [type, initial] { return filled(type.dtype, type.shape, initial); },
      VariableUse::optimizer);
}

// Each rank has the gradient of its own rows' part of the loss.
void sum_over_ranks(Optimizer::GradientsAndVariables& pairs) {
  std::vector<Tensor> gradients;
  for (const auto& [gradient, variable] : pairs) gradients.push_back(gradient);
  gradients = ops::all_reduce(gradients);
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i].first = gradients[i];
}

// The values of states, to be restored where a condition is false.
class Before {
 public:
  explicit Before(const std::vector<Variable>& states) {
    for (const Variable& state : states) values_.emplace_back(state, state.read());
  }
  void restore_unless(const Tensor& condition) const {
    for (const auto& [state, old] : values_)
      if (const Tensor now = state.read(); !graph::same_value(now, old))
        state.assign(ops::where(condition, now, old));
  }

 private:
  std::vector<std::pair<Variable, Tensor>> values_;
};

void check(const OptimizerOptions& o) {
  if (o.clipnorm.has_value() + o.clipvalue.has_value() + o.global_clipnorm.has_value() > 1)
    throw InvalidArgument(
        fmt::format("[{}] has more than one of clipnorm, clipvalue and global_clipnorm.", o.name));
  for (const auto& limit : {o.clipnorm, o.clipvalue, o.global_clipnorm})
    if (limit && *limit <= 0)
      throw InvalidArgument(fmt::format("[{}] clips at {}.", o.name, *limit),
                            "the limit must be positive.");
  const auto expect = [&](bool ok, const char* key, auto value, const char* what) {
    if (!ok) throw InvalidArgument(fmt::format("[{}] {} is {}.", o.name, key, value), what);
  };
  const int64_t steps = o.gradient_accumulation_steps.value_or(2);
  expect(steps >= 2, "gradient_accumulation_steps", steps, "it must be 2 or more, or absent.");
  expect(o.ema_momentum >= 0 && o.ema_momentum <= 1, "ema_momentum", o.ema_momentum,
         "it must be in [0, 1].");
  const int64_t frequency = o.ema_overwrite_frequency.value_or(1);
  const double factor = o.loss_scale_factor.value_or(1);
  expect(factor > 0, "loss_scale_factor", factor, "it must be positive, or absent.");
  expect(frequency >= 1, "ema_overwrite_frequency", frequency, "it must be 1 or more, or absent.");
}

}  // namespace

Optimizer::Optimizer(OptimizerOptions options) : options_(std::move(options)) {
  check(options_);
  iterations_ = make_state({DType::int64, {}}, options_.name + "/iteration", 0);
  if (!options_.learning_rate.schedule())
    learning_rate_ = make_state({DType::float32, {}}, options_.name + "/learning_rate",
                                options_.learning_rate.value());
}

Optimizer::~Optimizer() = default;

Config Optimizer::get_config() const {
  const auto& o = options_;
  const auto number = [](const auto& v) { return v ? Config(*v) : Config(); };
  return Config::map({{"name", o.name},
                      {"learning_rate", o.learning_rate.schedule() ? o.learning_rate.to_config()
                                                                   : Config(learning_rate())},
                      {"weight_decay", number(o.weight_decay)},
                      {"clipnorm", number(o.clipnorm)},
                      {"global_clipnorm", number(o.global_clipnorm)},
                      {"clipvalue", number(o.clipvalue)},
                      {"use_ema", o.use_ema},
                      {"ema_momentum", o.ema_momentum},
                      {"ema_overwrite_frequency", number(o.ema_overwrite_frequency)},
                      {"loss_scale_factor", number(o.loss_scale_factor)},
                      {"gradient_accumulation_steps", number(o.gradient_accumulation_steps)}});
}

void Optimizer::build(const std::vector<Variable>& variables) {
  std::vector<Variable> fresh;
  for (const Variable& v : variables)
    if (std::ranges::none_of(built_, [&](const Variable& b) { return b.state() == v.state(); }))
      fresh.push_back(v);
  if (fresh.empty()) return;
  built_.insert(built_.end(), fresh.begin(), fresh.end());
  for (const Variable& v : fresh)
    if (options_.use_ema) slot(v, "average");
  for (const Variable& v : fresh)
    if (options_.gradient_accumulation_steps) slot(v, "gradient_accumulator");
  make_slots(fresh);
}

void Optimizer::apply_gradients(const GradientsAndVariables& all) {
  if (all.empty()) return;
  std::vector<Variable> variables;
  GradientsAndVariables pairs;
  for (const auto& pair : all) {
    variables.push_back(pair.second);
    if (pair.first.defined()) pairs.push_back(pair);
  }
  if (pairs.empty())
    throw InvalidArgument(fmt::format("[{}] no variable has a gradient.", name()),
                          "does the loss depend on the variables, and was it computed in the "
                          "tape's scope?");
  build(variables);
  sum_over_ranks(pairs);
  if (options_.loss_scale_factor)
    for (auto& [gradient, variable] : pairs) gradient = gradient / *options_.loss_scale_factor;
  if (options_.gradient_accumulation_steps)
    accumulate(pairs);
  else
    update_all(pairs);
  if (options_.use_ema) average_variables();  // before constraints are applied, as in Keras
  for (const auto& [gradient, variable] : pairs)
    if (const auto& constraint = variable.state()->constraint)
      variable.assign(constraint(variable.read()));
  iterations_.assign(iterations_.read() + 1.0);
}

void Optimizer::update_all(GradientsAndVariables pairs, const Tensor& condition) {
  clip(pairs);
  const Tensor rate = current_learning_rate();
  const Tensor now = step(), size = step_size(rate, now);
  const Before shared(condition.defined() ? shared_states() : std::vector<Variable>());
  update_shared(now);
  for (const auto& [gradient, variable] : pairs) {
    const Before own(condition.defined() ? rule_states(variable) : std::vector<Variable>());
    decay(variable, rate);
    update(variable, gradient, ops::cast(size, variable.dtype()));
    own.restore_unless(condition);
  }
  shared.restore_unless(condition);
}

void Optimizer::apply_gradients(const std::vector<Tensor>& gradients,
                                const std::vector<Variable>& variables) {
  if (gradients.size() != variables.size())
    throw InvalidArgument(fmt::format("[{}] got {} gradients for {} variables.", name(),
                                      gradients.size(), variables.size()));
  GradientsAndVariables pairs;
  for (size_t i = 0; i < gradients.size(); ++i) pairs.emplace_back(gradients[i], variables[i]);
  apply_gradients(pairs);
}

void Optimizer::clip(GradientsAndVariables& pairs) const {
  Tensor scale;
  if (options_.global_clipnorm) {
    std::vector<Tensor> gradients;
    for (const auto& [gradient, variable] : pairs) gradients.push_back(gradient);
    scale = nn::global_norm_scale(gradients, *options_.global_clipnorm);
  }
  for (auto& [gradient, variable] : pairs) {
    if (options_.clipnorm) gradient = nn::clip_by_norm(gradient, *options_.clipnorm);
    if (options_.clipvalue)
      gradient = ops::clip(gradient, -*options_.clipvalue, *options_.clipvalue);
    if (scale.defined()) gradient = gradient * ops::cast(scale, gradient.dtype());
  }
}

void Optimizer::decay(const Variable& variable, const Tensor& learning_rate) const {
  const auto share = weight_decay_of(variable);
  if (!share) return;
  const Tensor w = variable;
  variable.assign(w - w * *share * ops::cast(learning_rate, w.dtype()));
}

Tensor Optimizer::step_size(const Tensor& learning_rate, const Tensor&) const {
  return learning_rate;
}

Variable Optimizer::slot(const Variable& variable, const std::string& name, double initial) {
  return slot(variable, name, variable.type(), [type = variable.type(), initial] {
    return filled(type.dtype, type.shape, initial);
  });
}

Variable Optimizer::slot(const Variable& variable, const std::string& name, const TensorType& type,
                         const std::function<Array()>& initial) {
  Variable& found = slots_[{variable.state().get(), name}];
  if (!found.defined()) {
    found = make_variable(type, fmt::format("{}/{}/{}", options_.name, variable.name(), name),
                          false, initial, VariableUse::optimizer);
    slot_order_.push_back(found);
  }
  return found;
}

Tensor Optimizer::step() const { return updates_taken() + 1.0; }

Variable Optimizer::add_state(const std::string& name, DType dtype, double initial) const {
  return make_state({dtype, {}}, options_.name + "/" + name, initial);
}

Tensor Optimizer::scale_loss(const Tensor& loss) const {
  return options_.loss_scale_factor ? loss * *options_.loss_scale_factor : loss;
}

Tensor Optimizer::current_learning_rate() const {
  const auto& schedule = options_.learning_rate.schedule();
  return schedule ? (*schedule)(ops::cast(iterations_, DType::float32)) : learning_rate_.read();
}

double Optimizer::learning_rate() const {
  const auto& schedule = options_.learning_rate.schedule();
  if (!schedule) return learning_rate_.array().at(0);
  return (*schedule)(Tensor(iterations_.array().astype(DType::float32))).item();
}

void Optimizer::set_learning_rate(double value) {
  if (options_.learning_rate.schedule())
    throw InvalidArgument(
        fmt::format("[{}] the learning rate follows {} and cannot be set to {}.", name(),
                    options_.learning_rate.schedule()->class_name(), value),
        "give the optimizer a number as its learning rate.");
  learning_rate_.set(Array::scalar(static_cast<float>(value)));
}

std::vector<Variable> Optimizer::variables() const {
  std::vector<Variable> all{iterations_};
  if (learning_rate_.defined()) all.push_back(learning_rate_);
  all.insert(all.end(), slot_order_.begin(), slot_order_.end());
  return all;
}

std::vector<SavedVariable> Optimizer::saved_variables() const {
  using Kind = SavedVariable::Kind;
  std::vector<SavedVariable> all;
  for (const Variable& v : variables())
    all.push_back({v, is_attribute(v) ? Kind::attribute : Kind::slot});
  all[0].kind = Kind::iteration;
  if (learning_rate_.defined()) all[1].kind = Kind::learning_rate;
  return all;
}

LearningRate::LearningRate(const Config& config) {
  if (config.is_number())
    value_ = config.as_double();
  else
    schedule_ = nn::Registry<std::shared_ptr<const Schedule>>::instance().make(
        config, "learning rate schedule");
}

Config LearningRate::to_config() const {
  using Registered = std::shared_ptr<const Schedule>;
  return schedule_ ? nn::serialize_object<Registered>("keras.optimizers.schedules", *schedule_)
                   : Config(value_);
}

OptimizerRef::OptimizerRef(const Config& config)
    : optimizer_(nn::Registry<std::shared_ptr<Optimizer>>::instance().make(config, "optimizer")) {}

}  // namespace stoker
