#pragma once
#include <string>
#include <vector>

namespace stoker::cli {

// Runs the command as so many processes on this machine, by mpirun, and divides its cores among
// them; on GPUs it needs no mpirun. Returns the exit status; throws if there is no mpirun where it
// is needed.
int launch(int processes, const std::vector<std::string>& command);

}  // namespace stoker::cli
