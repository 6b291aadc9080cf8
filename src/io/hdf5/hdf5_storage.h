#pragma once
#include "io/hdf5/hdf5_header.h"
#include "io/hdf5/hdf5_types.h"

namespace stoker::h5 {

// The size in bytes of the elements of a dataspace; fails if the file is too small for it.
uint64_t byte_count(const File& file, const Blob& message, const Dataspace& space, uint64_t size);

// A dataset's elements in C order: a part of the file, or a copy if they are chunked.
Blob read_storage(File& file, const ObjectHeader& dataset, const Dataspace& space,
                  uint64_t element_size);

}  // namespace stoker::h5
