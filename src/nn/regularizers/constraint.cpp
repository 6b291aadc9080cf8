#include "stoker/constraint.h"

#include <fmt/format.h>

#include "nn/config/axes.h"
#include "nn/config/registry.h"
#include "stoker/constraints.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker {

Constraint::Constraint(const char* name) : Constraint(Config(name)) {}
Constraint::Constraint(const std::string& name) : Constraint(Config(name)) {}
Constraint::Constraint(const Config& config)
    : Constraint(nn::Registry<Constraint>::instance().make(config, "constraint")) {}

Config Constraint::to_config() const {
  return impl_ ? nn::keras_object("keras.constraints", impl_->class_name(), impl_->get_config())
               : Config();
}

namespace constraints {

struct NonNegArgs {};

namespace {

constexpr double epsilon = 1e-7;  // Keras's

}  // namespace

template <class V>
void visit(MaxNormArgs& a, V& v) {
  v("max_value", a.max_value);
  nn::visit_axes(v, "axis", a.axis.axes);
}
template <class V>
void visit(NonNegArgs&, V&) {}
template <class V>
void visit(UnitNormArgs& a, V& v) {
  nn::visit_axes(v, "axis", a.axis.axes);
}
template <class V>
void visit(MinMaxNormArgs& a, V& v) {
  v("min_value", a.min_value);
  v("max_value", a.max_value);
  v("rate", a.rate);
  nn::visit_axes(v, "axis", a.axis.axes);
}

namespace {

Tensor norms(const Tensor& weight, const NormAxes& axis) {
  return ops::sqrt(ops::sum(ops::square(weight), {.axis = axis.axes, .keepdims = true}));
}
Tensor with_norms(const Tensor& weight, const Tensor& wanted, const Tensor& now) {
  return weight * (wanted / (now + epsilon));
}

Tensor project(const MaxNormArgs& a, const Tensor& weight) {
  const Tensor now = norms(weight, a.axis);
  return with_norms(weight, ops::clip(now, 0, a.max_value), now);
}
Tensor project(const NonNegArgs&, const Tensor& weight) { return ops::maximum(weight, 0.0); }
Tensor project(const UnitNormArgs& a, const Tensor& weight) {
  return weight / (norms(weight, a.axis) + epsilon);
}
Tensor project(const MinMaxNormArgs& a, const Tensor& weight) {
  const Tensor now = norms(weight, a.axis);
  const Tensor inside = a.rate * ops::clip(now, a.min_value, a.max_value);
  return with_norms(weight, inside + (1 - a.rate) * now, now);
}

template <class Args>
struct Projection : Constraint::Impl {
  std::string name;
  Args args;
  Projection(std::string n, Args a) : name(std::move(n)), args(std::move(a)) {}
  Tensor project(const Tensor& weight) const override { return constraints::project(args, weight); }
  std::string class_name() const override { return name; }
  Config get_config() const override { return nn::write_args(args); }
};

template <class Args>
Constraint make(const std::string& name, const Args& args) {
  return Constraint(std::make_shared<const Projection<Args>>(name, args));
}

template <class Args>
struct Register {
  explicit Register(const std::string& name) {
    nn::Registrar<Constraint>(name, [name](const Config& config) {
      return make(name, nn::read_args<Args>(config, name));
    });
  }
};
const Register<MaxNormArgs> max_norm{"MaxNorm"};
const Register<NonNegArgs> non_neg{"NonNeg"};
const Register<UnitNormArgs> unit_norm{"UnitNorm"};
const Register<MinMaxNormArgs> min_max_norm{"MinMaxNorm"};

}  // namespace

Constraint MaxNorm(const MaxNormArgs& args) { return make("MaxNorm", args); }
Constraint NonNeg() { return make("NonNeg", NonNegArgs{}); }
Constraint UnitNorm(const UnitNormArgs& args) { return make("UnitNorm", args); }
Constraint MinMaxNorm(const MinMaxNormArgs& args) { return make("MinMaxNorm", args); }

}  // namespace constraints
}  // namespace stoker
