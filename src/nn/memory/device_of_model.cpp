#include "nn/memory/device_of_model.h"

#include <algorithm>

#include "exec/variable.h"

namespace stoker::nn {
namespace {

std::optional<device::Device> home_of_weights(const Model& model) {
  for (const Variable& variable : model.weights())
    if (const auto& home = exec::memory_of(*variable.state()).home) return home;
  return {};
}

// A traced step has created all weights, and they do not move: their device is looked up once.
std::optional<device::Device> home_of(Model& model) {
  if (model.impl().home) return model.impl().home;
  StepCache& steps = model.impl().steps;
  const auto is_traced = [](const auto& phase) { return phase.step->count() > 0; };
  if (std::ranges::none_of(steps.phases, is_traced)) return home_of_weights(model);
  if (!steps.home) steps.home = home_of_weights(model);
  return *steps.home;
}

}  // namespace

device::Device device_of(Model& model, const char* caller) {
  for (auto& phase : model.impl().steps.phases) phase.step->drop_stale();
  if (const device::Scope* scope = device::Scope::innermost()) return scope->device();
  const auto home = home_of(model);
  const device::Device device = home ? *home : device::current_device(caller);
  if (!home) device::explain_cpu(device, caller);
  return device;
}

}  // namespace stoker::nn
