#pragma once
#include <map>
#include <optional>

#include "stoker/callback.h"
#include "stoker/callbacks/resumable.h"

namespace stoker::nn {

// By class and index among callbacks of that class: "EarlyStopping/0".
using CallbackStates = std::map<std::string, callbacks::CallbackState>;

CallbackStates states_of(const std::vector<CallbackRef>& callbacks);
// A callback that the checkpoint does not have starts from its initial state.
void resume(const std::vector<CallbackRef>& callbacks, const CallbackStates& states);

// A value that may not exist yet, such as the best one.
Config optional_value(const std::optional<double>& value);
std::optional<double> optional_value(const Config& values, const char* name);

}  // namespace stoker::nn
