#pragma once
#include "io/hdf5/hdf5_header.h"
#include "io/hdf5/hdf5_types.h"

namespace stoker::h5 {

// The bytes of a space full of elements; fails where a file could not hold as many.
uint64_t byte_count(const File& file, const Blob& message, const Dataspace& space, uint64_t size);

// A dataset's elements in C order: a part of the file, or a copy where they lie in chunks.
Blob read_storage(File& file, const ObjectHeader& dataset, const Dataspace& space,
                  uint64_t element_size);

}  // namespace stoker::h5
