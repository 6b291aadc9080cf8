#pragma once
#include <optional>
#include <string>

namespace stoker::emulator {

// Runs body(context); a fault of the processor in it ends it there and is returned in words.
// Nothing on body's stack is destroyed then.
std::optional<std::string> run_guarded(void (*body)(void*), void* context);

}  // namespace stoker::emulator
