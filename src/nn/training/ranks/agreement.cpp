#include "nn/training/ranks/agreement.h"

#include "distribution/collectives.h"
#include "stoker/dtype.h"
#include "stoker/model.h"

namespace stoker::nn {
namespace {

struct AfterEpoch {
  int64_t stop;
  int64_t has_rate;
  double rate;
};

bool has_number_as_rate(const Optimizer& optimizer) {
  for (const SavedVariable& saved : optimizer.saved_variables())
    if (saved.kind == SavedVariable::Kind::learning_rate) return true;
  return false;
}

}  // namespace

NextLaunch agree_on_launch(const NextLaunch& own) {
  const bool decides = distribution::rank() == 0;
  int64_t told[3] = {decides ? own.steps : 0, decides && own.stop ? 1 : 0,
                     was_interrupted_here() ? 1 : 0};
  distribution::collectives().all_reduce(told, told, 3, static_cast<int32_t>(DType::int64));
  if (told[2] > 0) agree_on_interrupt();
  return {told[0], told[1] > 0};
}

void agree_on_epoch(Model& model, bool has_callbacks) {
  if (distribution::size() == 1) return;
  Optimizer& optimizer = model.optimizer();
  AfterEpoch own{model.stop_training, 0, 0};
  if (distribution::rank() == 0 && has_callbacks && has_number_as_rate(optimizer))
    own = {model.stop_training, 1, optimizer.learning_rate()};
  const AfterEpoch first = distribution::from_first(own);
  model.stop_training = first.stop != 0;
  if (first.has_rate && distribution::rank() != 0 && optimizer.learning_rate() != first.rate)
    optimizer.set_learning_rate(first.rate);
}

}  // namespace stoker::nn
