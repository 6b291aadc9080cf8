#pragma once
#include "stoker/callback.h"

namespace stoker::cli {

// The first Ctrl-C ends the epoch cleanly, the second the program at once.
void handle_interrupts();
bool was_interrupted();

// What the user should know of a training beside its result.
void warn_of_result(bool loss_is_finite, int64_t epochs);

// For fit: passes on a Ctrl-C that came before training began.
CallbackRef pass_on_interrupt();

}  // namespace stoker::cli
