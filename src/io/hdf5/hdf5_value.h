#pragma once
#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_heap.h"
#include "io/hdf5/hdf5_types.h"

namespace stoker::h5 {

// Converts elements as stored in the file to numbers or strings.
H5Value read_value(File& file, GlobalHeap& heap, const Datatype& type, const Dataspace& space,
                   const Blob& data);

struct NamedValue {
  std::string name;
  H5Value value;
};
NamedValue read_attribute(File& file, GlobalHeap& heap, const Blob& message);

}  // namespace stoker::h5
