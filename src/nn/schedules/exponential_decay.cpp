#include "stoker/schedules/exponential_decay.h"

#include "graph/emit.h"
#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(ExponentialDecayArgs& a, V& v) {
  v("initial_learning_rate", a.initial_learning_rate, nn::required);
  v("decay_steps", a.decay_steps, nn::required);
  v("decay_rate", a.decay_rate, nn::required);
  v("staircase", a.staircase);
  v("name", a.name);
}

namespace {

Tensor rate_at(const ExponentialDecayArgs& a, const Tensor& step) {
  const Tensor periods = step / static_cast<double>(a.decay_steps);
  return a.initial_learning_rate * ops::power(graph::scalar_like(step, a.decay_rate),
                                              a.staircase ? ops::floor(periods) : periods);
}

const nn::RegisterSchedule<ExponentialDecayArgs> registered{"ExponentialDecay", ExponentialDecay};

}  // namespace

LearningRate ExponentialDecay(const ExponentialDecayArgs& args) {
  nn::expect_positive("ExponentialDecay", "decay_steps", args.decay_steps);
  return nn::make_schedule("ExponentialDecay", args, rate_at);
}

}  // namespace stoker::schedules
