#pragma once
#include "stoker/callback.h"

namespace stoker::cli {

// SIGINT (Ctrl-C), SIGTERM, SIGHUP (a closed terminal) and SIGPIPE (a reader such as head that went
// away) end a training after the current batch, saved. A second SIGINT or SIGTERM ends the program
// at once.
void handle_signals();
bool was_interrupted();
int status_of_signal();  // 128 + the signal's number, as shells have it

// Says on stderr where a training was interrupted, if it was.
void warn_of_interrupt(const History& history);

}  // namespace stoker::cli
