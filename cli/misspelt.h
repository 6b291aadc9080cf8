#pragma once
#include <string>

namespace CLI {
class App;
}

namespace stoker::cli {

// A sentence about the first argument that is not a known command or option, with a suggestion; ""
// if all are known.
std::string misspelt(const CLI::App& app, int argc, const char* const* argv);

}  // namespace stoker::cli
