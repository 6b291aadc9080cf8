#include "stoker/schedules/inverse_time_decay.h"

#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(InverseTimeDecayArgs& a, V& v) {
  v("initial_learning_rate", a.initial_learning_rate, nn::required);
  v("decay_steps", a.decay_steps, nn::required);
  v("decay_rate", a.decay_rate, nn::required);
  v("staircase", a.staircase);
  v("name", a.name);
}

namespace {

Tensor rate_at(const InverseTimeDecayArgs& a, const Tensor& step) {
  const Tensor periods = step / static_cast<double>(a.decay_steps);
  return a.initial_learning_rate /
         (1.0 + a.decay_rate * (a.staircase ? ops::floor(periods) : periods));
}

const nn::RegisterSchedule<InverseTimeDecayArgs> registered{"InverseTimeDecay", InverseTimeDecay};

}  // namespace

LearningRate InverseTimeDecay(const InverseTimeDecayArgs& args) {
  nn::expect_positive("InverseTimeDecay", "decay_steps", args.decay_steps);
  return nn::make_schedule("InverseTimeDecay", args, rate_at);
}

}  // namespace stoker::schedules
