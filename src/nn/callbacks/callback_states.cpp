#include "nn/callbacks/callback_states.h"

#include <fmt/format.h>

namespace stoker::nn {
namespace {

template <class Do>
void each(const std::vector<CallbackRef>& callbacks, Do act) {
  std::map<std::string, int> of_kind;
  for (const auto& callback : callbacks)
    if (auto* resumable = dynamic_cast<callbacks::Resumable*>(callback.get()))
      act(fmt::format("{}/{}", resumable->kind(), of_kind[resumable->kind()]++), *resumable);
}

}  // namespace

CallbackStates states_of(const std::vector<CallbackRef>& callbacks) {
  CallbackStates states;
  each(callbacks, [&](const std::string& name, const callbacks::Resumable& callback) {
    states.emplace(name, callback.state());
  });
  return states;
}

void resume(const std::vector<CallbackRef>& callbacks, const CallbackStates& states) {
  each(callbacks, [&](const std::string& name, callbacks::Resumable& callback) {
    if (const auto found = states.find(name); found != states.end()) callback.resume(found->second);
  });
}

Config optional_value(const std::optional<double>& value) {
  return value ? Config(*value) : Config();
}

std::optional<double> optional_value(const Config& values, const char* name) {
  const Config* found = values.find(name);
  return found && found->is_number() ? std::optional(found->as_double()) : std::nullopt;
}

}  // namespace stoker::nn
