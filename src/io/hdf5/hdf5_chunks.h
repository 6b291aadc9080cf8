#pragma once
#include <vector>

#include "io/hdf5/hdf5_file.h"
#include "stoker/shape.h"

namespace stoker::h5 {

// Assembles the chunks of a dataset. Each must be stored exactly once.
class ChunkReader {
 public:
  // The sizes of a chunk; the last one is the element's size in bytes.
  ChunkReader(File& file, const Blob& message, const Shape& shape, std::vector<uint64_t> sizes);

  Blob read(uint64_t tree, uint64_t size);

 private:
  void read_tree(uint64_t address, int level_above);
  void read_chunk(const Blob& key, uint64_t address);
  size_t chunk_index(const Blob& key, const std::vector<uint64_t>& start) const;
  void copy(const Blob& chunk, const std::vector<uint64_t>& start);

  File& file_;
  const Blob& message_;
  std::vector<uint64_t> dims_, sizes_;  // with the element's bytes as last dimension
  uint64_t chunk_bytes_ = 1;
  Blob out_;
  std::vector<bool> seen_;
};

}  // namespace stoker::h5
