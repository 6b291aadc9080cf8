#pragma once
#include <string>
#include <vector>

namespace stoker::graph {

// The names of all passes, in the order in which they run.
const std::vector<std::string>& pipeline();

}  // namespace stoker::graph
