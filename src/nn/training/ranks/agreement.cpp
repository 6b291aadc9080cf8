#include "nn/training/ranks/agreement.h"

#include <bit>

#include "distribution/collectives.h"
#include "stoker/dtype.h"
#include "stoker/model.h"

namespace stoker::nn {
namespace {

void set_rate(Model& model, double rate) {
  Optimizer& optimizer = model.optimizer();
  if (optimizer.learning_rate() != rate) optimizer.set_learning_rate(rate);
}

}  // namespace

std::optional<double> rate_of(const Model& model) {
  const Optimizer& optimizer = model.optimizer();
  for (const SavedVariable& saved : optimizer.saved_variables())
    if (saved.kind == SavedVariable::Kind::learning_rate) return optimizer.learning_rate();
  return std::nullopt;
}

// Rank 0's numbers, as the others add zeros: unlike a broadcast this is in the account of waiting.
NextLaunch agree_on_launch(Model& model, const NextLaunch& own) {
  enum { steps, stop, begin_hooks, has_rate, rate, singles, interrupts, count };
  int64_t told[count] = {};
  if (distribution::rank() == 0) {
    told[steps] = own.steps;
    told[stop] = own.stop;
    told[begin_hooks] = own.has_begin_hooks;
    told[has_rate] = own.rate.has_value();
    told[rate] = std::bit_cast<int64_t>(own.rate.value_or(0));
  }
  told[singles] = own.single;
  told[interrupts] = was_interrupted_here();
  distribution::collectives().all_reduce(told, told, count, static_cast<int32_t>(DType::int64));
  if (told[interrupts] > 0) agree_on_interrupt();
  NextLaunch agreed{told[singles] > 0 ? 1 : told[steps], told[stop] > 0, told[begin_hooks] > 0};
  if (told[has_rate] > 0) set_rate(model, *(agreed.rate = std::bit_cast<double>(told[rate])));
  return agreed;
}

void agree_on_rate(Model& model, bool may_have_changed) {
  NextLaunch own{};
  if (distribution::rank() == 0 && may_have_changed) own.rate = rate_of(model);
  if (distribution::size() > 1) agree_on_launch(model, own);
}

void agree_on_epoch(Model& model, bool has_callbacks) {
  if (distribution::size() == 1) return;
  NextLaunch own{0, model.stop_training};
  if (distribution::rank() == 0 && has_callbacks) own.rate = rate_of(model);
  model.stop_training = agree_on_launch(model, own).stop;
}

}  // namespace stoker::nn
