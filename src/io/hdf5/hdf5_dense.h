#pragma once
#include <vector>

#include "io/hdf5/hdf5_file.h"

namespace stoker::h5 {

// Dense storage: newer files store many links, or many attributes, as objects of a heap indexed by
// a B-tree.
struct Dense {
  uint64_t heap = no_address, tree = no_address;
};
enum class DenseKind { links, attributes };

Dense read_dense_info(const Blob& message, DenseKind kind);  // of a link or attribute info message
std::vector<Blob> read_dense(File& file, const Dense& dense, DenseKind kind);

}  // namespace stoker::h5
