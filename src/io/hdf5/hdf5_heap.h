#pragma once
#include <map>
#include <string>

#include "io/hdf5/hdf5_file.h"

namespace stoker::h5 {

// The names of the children of an old-style group.
class LocalHeap {
 public:
  LocalHeap(File& file, uint64_t address);
  std::string name(uint64_t offset) const;

 private:
  Blob data_;
};

// Variable-length strings, in collections all over the file.
class GlobalHeap {
 public:
  explicit GlobalHeap(File& file) : file_(file) {}
  std::string text(const Blob& reference);  // 16 bytes: length, collection, index

 private:
  using Collection = std::map<uint16_t, Blob>;
  const Collection& collection(uint64_t address);

  File& file_;
  std::map<uint64_t, Collection> collections_;
};

}  // namespace stoker::h5
