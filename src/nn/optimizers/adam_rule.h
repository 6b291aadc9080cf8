#pragma once
#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/update.h"

namespace stoker::nn {

// The update rule of Adam and AdamW, which differ in their defaults only.
template <class Args>
class AdamRule : public OptimizerOf<Args> {
 public:
  using OptimizerOf<Args>::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      this->slot(v, "momentum");
      this->slot(v, "velocity");
    }
    if (!this->args_.amsgrad) return;
    for (const Variable& v : variables) this->slot(v, "velocity_hat");
  }

  // The bias correction, computed once for all variables.
  Tensor step_size(const Tensor& learning_rate, const Tensor& step) const override {
    const auto missing = [&](double beta) {
      return 1.0 - ops::power(Tensor(Array::scalar(static_cast<float>(beta))), step);
    };
    return learning_rate * ops::sqrt(missing(this->args_.beta_2)) / missing(this->args_.beta_1);
  }

  void update(const Variable& variable, const Tensor& gradient, const Tensor& step_size) override {
    const Variable m = this->slot(variable, "momentum"), v = this->slot(variable, "velocity");
    const auto& a = this->args_;
    if (a.amsgrad) return update_amsgrad(variable, m, v, gradient, step_size);
    const auto next =
        ops::adam_update(variable, m, v, gradient, step_size, {a.beta_1, a.beta_2, a.epsilon});
    variable.assign(next[0]);
    m.assign(next[1]);
    v.assign(next[2]);
  }

 private:
  void update_amsgrad(const Variable& variable, const Variable& m, const Variable& v,
                      const Tensor& gradient, const Tensor& step_size) {
    const auto& a = this->args_;
    const Variable v_hat = this->slot(variable, "velocity_hat");
    const Tensor old_m = m, old_v = v;
    m.assign(old_m + (gradient - old_m) * (1 - a.beta_1));
    v.assign(old_v + (ops::square(gradient) - old_v) * (1 - a.beta_2));
    v_hat.assign(ops::maximum(v_hat, v));
    variable.assign(variable - m * step_size / (ops::sqrt(v_hat) + a.epsilon));
  }
};

template <class Args, class V>
void visit_adam(Args& a, V& v) {
  visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
  v("epsilon", a.epsilon);
  v("amsgrad", a.amsgrad);
}

}  // namespace stoker::nn
