#pragma once
#include "stoker/callback.h"

namespace stoker::cli {

// SIGINT (Ctrl-C), SIGTERM, SIGUSR1 (what mpirun and schedulers send), SIGHUP (closed terminal) and
// SIGPIPE (closed reader, such as head) end a training after the current batch, with everything
// saved. A second SIGINT or SIGTERM ends the program immediately.
void handle_signals();
bool was_interrupted();
int status_of_signal();  // 128 + the signal's number, as in shells

// Reports on stderr where a training was interrupted, if so.
void warn_of_interrupt(const History& history);

}  // namespace stoker::cli
