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

// The others add zeros.
NextLaunch agree_on_launch(Model& model, const NextLaunch& own) {
  enum { steps, stop, begin_hooks, has_rate, rate, interrupts, count };
  int64_t told[count] = {};
  if (distribution::rank() == 0) {
    told[steps] = own.steps;
    told[stop] = own.stop;
    told[begin_hooks] = own.has_begin_hooks;
    told[has_rate] = own.rate.has_value();
    told[rate] = std::bit_cast<int64_t>(own.rate.value_or(0));
  }
  told[interrupts] = was_interrupted_here();
  distribution::collectives().all_reduce(told, told, count, static_cast<int32_t>(DType::int64));
  if (told[interrupts] > 0) agree_on_interrupt();
  NextLaunch agreed{told[steps], told[stop] > 0, told[begin_hooks] > 0};
  if (told[has_rate] > 0) set_rate(model, *(agreed.rate = std::bit_cast<double>(told[rate])));
  return agreed;
}

void agree_on_rate(Model& model, bool may_have_changed) {
  if (distribution::size() == 1) return;
  struct Rate {
    int64_t is_told;
    double value;
  } own{};
  if (distribution::rank() == 0 && may_have_changed)
    if (const auto rate = rate_of(model)) own = {1, *rate};
  const Rate first = distribution::from_first(own);
  if (first.is_told) set_rate(model, first.value);
}

void agree_on_epoch(Model& model, bool has_callbacks) {
  if (distribution::size() == 1) return;
  model.stop_training = distribution::from_first(int64_t{model.stop_training}) != 0;
  agree_on_rate(model, has_callbacks);
}

}  // namespace stoker::nn
