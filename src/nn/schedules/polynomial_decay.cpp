#include "stoker/schedules/polynomial_decay.h"

#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(PolynomialDecayArgs& a, V& v) {
  v("initial_learning_rate", a.initial_learning_rate, nn::required);
  v("decay_steps", a.decay_steps, nn::required);
  v("end_learning_rate", a.end_learning_rate);
  v("power", a.power);
  v("cycle", a.cycle);
  v("name", a.name);
}

namespace {

// The completed fraction, in [0, 1].
Tensor progress(const PolynomialDecayArgs& a, const Tensor& step) {
  const auto steps = static_cast<double>(a.decay_steps);
  if (!a.cycle) return ops::minimum(step, steps) / steps;
  const Tensor rounds = -ops::floor(-(step / steps));  // rounded up, at least one
  return step / (steps * ops::maximum(rounds, 1.0));
}

Tensor rate_at(const PolynomialDecayArgs& a, const Tensor& step) {
  return (a.initial_learning_rate - a.end_learning_rate) *
             ops::power(1.0 - progress(a, step), a.power) +
         a.end_learning_rate;
}

const nn::RegisterSchedule<PolynomialDecayArgs> registered{"PolynomialDecay", PolynomialDecay};

}  // namespace

LearningRate PolynomialDecay(const PolynomialDecayArgs& args) {
  nn::expect_positive("PolynomialDecay", "decay_steps", args.decay_steps);
  return nn::make_schedule("PolynomialDecay", args, rate_at);
}

}  // namespace stoker::schedules
