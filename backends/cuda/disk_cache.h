#pragma once
#include <string>

namespace stoker::cuda {

// The disk cache of compiled kernels and of benchmarked choices: one file each, named by a hash of
// the key and checked against the whole key. A damaged file counts as missing.
std::string read_cached(const std::string& key);  // "": missing
void write_cached(const std::string& key, const std::string& bytes);

}  // namespace stoker::cuda
