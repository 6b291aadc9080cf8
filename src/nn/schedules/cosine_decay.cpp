#include "stoker/schedules/cosine_decay.h"

#include <numbers>

#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(CosineDecayArgs& a, V& v) {
  v("initial_learning_rate", a.initial_learning_rate, nn::required);
  v("decay_steps", a.decay_steps, nn::required);
  v("alpha", a.alpha);
  v("warmup_target", a.warmup_target);
  v("warmup_steps", a.warmup_steps);
  v("name", a.name);
}

namespace {

Tensor decayed(const CosineDecayArgs& a, const Tensor& step, double from) {
  const Tensor part = step / static_cast<double>(a.decay_steps);
  const Tensor cosine = 0.5 * (1.0 + ops::cos(std::numbers::pi * part));
  return from * ((1 - a.alpha) * cosine + a.alpha);
}

Tensor rate_at(const CosineDecayArgs& a, const Tensor& step) {
  const auto decay = static_cast<double>(a.decay_steps), warm = static_cast<double>(a.warmup_steps);
  if (!a.warmup_target) return decayed(a, ops::minimum(step, decay), a.initial_learning_rate);
  const Tensor at = ops::minimum(step, decay + warm);
  const Tensor falling = decayed(a, at - warm, *a.warmup_target);
  if (a.warmup_steps == 0) return falling;
  const Tensor rising =
      (*a.warmup_target - a.initial_learning_rate) * (at / warm) + a.initial_learning_rate;
  return ops::where(ops::less(at, warm), rising, falling);
}

const nn::RegisterSchedule<CosineDecayArgs> registered{"CosineDecay", CosineDecay};

}  // namespace

LearningRate CosineDecay(const CosineDecayArgs& args) {
  nn::expect_positive("CosineDecay", "decay_steps", args.decay_steps);
  return nn::make_schedule("CosineDecay", args, rate_at);
}

}  // namespace stoker::schedules
