#include "stoker/schedules/piecewise_constant_decay.h"

#include "graph/emit.h"
#include "nn/schedules/schedule_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::schedules {

template <class V>
void visit(PiecewiseConstantDecayArgs& a, V& v) {
  v("boundaries", a.boundaries, nn::required);
  v("values", a.values, nn::required);
  v("name", a.name);
}

namespace {

Tensor rate_at(const PiecewiseConstantDecayArgs& a, const Tensor& step) {
  Tensor rate = graph::scalar_like(step, a.values.back());
  for (size_t i = a.boundaries.size(); i-- > 0;)
    rate = ops::where(
        ops::less_equal(step, graph::scalar_like(step, static_cast<double>(a.boundaries[i]))),
        graph::scalar_like(step, a.values[i]), rate);
  return rate;
}

const nn::RegisterSchedule<PiecewiseConstantDecayArgs> registered{"PiecewiseConstantDecay",
                                                                  PiecewiseConstantDecay};

}  // namespace

LearningRate PiecewiseConstantDecay(const PiecewiseConstantDecayArgs& args) {
  if (args.boundaries.empty() || args.values.size() != args.boundaries.size() + 1)
    throw InvalidArgument(
        fmt::format("[PiecewiseConstantDecay] needs one more value than boundaries, got {} values "
                    "and {} boundaries.",
                    args.values.size(), args.boundaries.size()));
  return nn::make_schedule("PiecewiseConstantDecay", args, rate_at);
}

}  // namespace stoker::schedules
