#include "nn/memory/device_of_model.h"

#include "exec/variable.h"

namespace stoker::nn {
namespace {

std::optional<device::Device> home_of(Model& model) {
  if (model.impl().home) return model.impl().home;
  for (const Variable& variable : model.weights())
    if (const auto& home = exec::memory_of(*variable.state()).home) return home;
  return {};
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
