#pragma once
#include <string>

namespace CLI {
class App;
}

namespace stoker::cli {

// A sentence on the first argument that names no command or option, with what was probably meant;
// "" if there is none.
std::string misspelt(const CLI::App& app, int argc, const char* const* argv);

}  // namespace stoker::cli
