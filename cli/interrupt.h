#pragma once
#include "stoker/callback.h"

namespace stoker::cli {

// The first Ctrl-C ends the epoch cleanly, the second the program at once.
void handle_interrupts();
bool was_interrupted();

// For fit: passes on a Ctrl-C that came before training began.
CallbackRef pass_on_interrupt();

}  // namespace stoker::cli
