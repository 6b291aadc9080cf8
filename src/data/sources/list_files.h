#pragma once
#include "stoker/dataset.h"

namespace stoker::data {

// The names of files that match one of the patterns, sorted, each once. Throws IoError if there are
// none.
std::vector<std::string> files_matching(const std::vector<std::string>& patterns,
                                        const char* doing);

}  // namespace stoker::data
