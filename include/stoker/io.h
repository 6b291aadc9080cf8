#pragma once
#include <string>
#include <utility>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker {

// Files in, files out. Readers trust nothing in a file; writers leave a complete file or none.
// All errors are stoker::Error and name the file and the place in it.

using NamedArrays = std::vector<std::pair<std::string, Array>>;

// Any array file by its content or extension. A member of an archive is "data.npz:x_train".
Array load_array(const std::string& path);

Array load_npy(const std::string& path);
void save_npy(const std::string& path, const Array& array);

NamedArrays load_npz(const std::string& path);
Array load_npz(const std::string& path, const std::string& member);
void save_npz(const std::string& path, const NamedArrays& arrays);

Array load_idx(const std::string& path);  // also gzipped

}  // namespace stoker
