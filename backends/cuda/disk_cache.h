#pragma once
#include <string>

namespace stoker::cuda {

// Compiled kernels and what was chosen by trying it out, on disk: one file each, named by a hash of
// the key and checked against all of it. A file that is damaged or cannot be written is as good as
// none.
std::string read_cached(const std::string& key);  // "": not there
void write_cached(const std::string& key, const std::string& bytes);

}  // namespace stoker::cuda
