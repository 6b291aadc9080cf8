#include "nn/training/batch_step.h"

#include "distribution/collectives.h"
#include "nn/saving/h5_weights.h"
#include "nn/training/inputs/input_uses.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/step_losses.h"
#include "stoker/ops/indexing.h"

namespace stoker::nn {
namespace {

StepData unpack(const StepLayout& layout, const std::vector<Tensor>& inputs) {
  size_t next = layout.gathers ? 1 : 0;
  const auto take = [&] {
    const Tensor& column = inputs[next++];
    return layout.gathers ? ops::gather(column, inputs[0]) : column;
  };
  StepData data;
  for (size_t i = 0; i < layout.x; ++i) data.x.push_back(take());
  for (size_t i = 0; i < layout.y; ++i) data.y.push_back(take());
  for (bool weighted : layout.weighted) data.sample_weight.push_back(weighted ? take() : Tensor());
  return data;
}

std::vector<Tensor> run_phase(Model& model, Phase phase, const StepData& data) {
  const StepLosses losses;
  const InputUses uses(data.x, trace_results(model).input_uses);
  if (phase == Phase::predict) return model.call(data.x, {.training = false});
  keep_logs(trace_results(model), phase,
            phase == Phase::train ? model.train_step(data) : model.test_step(data));
  return {};
}

// A layout has none where a batch is not divided; a group of one sums over whole batches, too.
distribution::Slice slice_of(Phase phase, const StepLayout& layout, const std::vector<Tensor>& in) {
  if (!distribution::is_group_of_one() || phase == Phase::predict || in.empty())
    return layout.slice;
  const int64_t rows = in[0].shape().rank() > 0 ? in[0].shape()[0] : 0;  // of indices, or of x
  return {rows, 0, rows};
}

exec::TracedStep& traced_step(Model& model, Phase phase, const StepLayout& layout) {
  StepCache& steps = model.impl().steps;
  for (const auto& known : steps.phases)
    if (known.phase == phase && known.layout == layout) return *known.step;
  auto body = [&model, phase, layout](const std::vector<Tensor>& in) {
    const distribution::SliceScope slice(slice_of(phase, layout, in));
    return run_phase(model, phase, unpack(layout, in));
  };
  steps.phases.push_back({phase, layout, std::make_unique<exec::TracedStep>(body, steps.arena)});
  return *steps.phases.back().step;
}

}  // namespace

exec::StepRef step_for(Model& model, Phase phase, const StepLayout& layout,
                       const std::vector<TensorType>& inputs, const exec::StepOptions& options) {
  if (phase == Phase::train) warn_of_unused_state(model.impl());
  return traced_step(model, phase, layout).step_for(inputs, options);
}

exec::StepPlan plan_for(Model& model, Phase phase, const StepLayout& layout,
                        const std::vector<TensorType>& inputs, const exec::StepOptions& options) {
  return traced_step(model, phase, layout).plan_for(inputs, options);
}

}  // namespace stoker::nn
