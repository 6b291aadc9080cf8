#include "stoker/schedules/cosine_decay_restarts.h"

#include <numbers>

#include "graph/emit.h"
#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(CosineDecayRestartsArgs& a, V& v) {
  v("initial_learning_rate", a.initial_learning_rate, nn::required);
  v("first_decay_steps", a.first_decay_steps, nn::required);
  v("t_mul", a.t_mul);
  v("m_mul", a.m_mul);
  v("alpha", a.alpha);
  v("name", a.name);
}

namespace {

struct Round {
  Tensor number, part;  // completed rounds, and the fraction of the current one
};
Round round_at(double t_mul, const Tensor& periods) {
  if (t_mul == 1) {
    const Tensor number = ops::floor(periods);
    return {number, periods - number};
  }
  // The first n rounds take (1 - t_mul^n) / (1 - t_mul) periods.
  const Tensor base = graph::scalar_like(periods, t_mul);
  // Against rounding errors of the logarithm at the end of a round.
  constexpr double slack = 1e-6;
  const Tensor number = ops::floor(ops::log(1.0 - periods * (1 - t_mul)) / ops::log(base) + slack);
  const Tensor length = ops::power(base, number);
  return {number, (periods - (1.0 - length) / (1 - t_mul)) / length};
}

Tensor rate_at(const CosineDecayRestartsArgs& a, const Tensor& step) {
  const Round round = round_at(a.t_mul, step / static_cast<double>(a.first_decay_steps));
  const Tensor height = ops::power(graph::scalar_like(step, a.m_mul), round.number);
  const Tensor cosine = 0.5 * height * (1.0 + ops::cos(std::numbers::pi * round.part));
  return a.initial_learning_rate * ((1 - a.alpha) * cosine + a.alpha);
}

const nn::RegisterSchedule<CosineDecayRestartsArgs> registered{"CosineDecayRestarts",
                                                               CosineDecayRestarts};

}  // namespace

LearningRate CosineDecayRestarts(const CosineDecayRestartsArgs& args) {
  nn::expect_positive("CosineDecayRestarts", "first_decay_steps", args.first_decay_steps);
  return nn::make_schedule("CosineDecayRestarts", args, rate_at);
}

}  // namespace stoker::schedules
