#pragma once
#include <string>
#include <vector>

namespace stoker::cli {

// Runs the command as so many processes on this machine, with the variables that torchrun sets: on
// GPUs they find each other over TCP, without MPI. Signals are forwarded to all of them; when one
// fails, the others are terminated. Returns the status of the first that failed, else 0.
int run_local_ranks(int processes, const std::vector<std::string>& command);

}  // namespace stoker::cli
