#pragma once
#include <map>
#include <optional>

#include "stoker/callback.h"
#include "stoker/callbacks/resumable.h"

namespace stoker::nn {

// By kind and place among those of that kind: "EarlyStopping/0".
using CallbackStates = std::map<std::string, callbacks::CallbackState>;

CallbackStates states_of(const std::vector<CallbackRef>& callbacks);
// A callback that is new since then starts afresh.
void resume(const std::vector<CallbackRef>& callbacks, const CallbackStates& states);

// A value that may not be there yet, such as the best one.
Config optional_value(const std::optional<double>& value);
std::optional<double> optional_value(const Config& values, const char* name);

}  // namespace stoker::nn
