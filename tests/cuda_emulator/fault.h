#pragma once
#include <optional>
#include <string>

namespace stoker::emulator {

// Runs body(context); a processor fault ends it and is returned as text. Nothing on body's stack is
// destroyed then.
std::optional<std::string> run_guarded(void (*body)(void*), void* context);

}  // namespace stoker::emulator
