#pragma once
#include <string>
#include <vector>

namespace stoker::cli {

// Replaces this program by mpirun, which starts the command as so many processes on this machine
// and divides its cores among them. Returns only by throwing, if there is no mpirun.
[[noreturn]] void launch(int processes, const std::vector<std::string>& command);

}  // namespace stoker::cli
