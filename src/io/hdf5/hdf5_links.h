#pragma once
#include <string>
#include <vector>

#include "io/hdf5/hdf5_header.h"

namespace stoker::h5 {

struct Link {
  std::string name;
  uint64_t address;
};

bool is_group(const ObjectHeader& header);
// A group's children in any storage format; links that leave the file's tree are refused.
std::vector<Link> read_links(File& file, const ObjectHeader& group);

}  // namespace stoker::h5
