#pragma once
#include <string>
#include <vector>

#include "io/blob.h"
#include "stoker/io.h"

namespace stoker {

// numpy's .npz: a zip archive of .npy files; the arrays' names lack the ".npy".
NamedArrays parse_npz(const Blob& file);
Array parse_npz_member(const Blob& file, const std::string& member);

}  // namespace stoker
