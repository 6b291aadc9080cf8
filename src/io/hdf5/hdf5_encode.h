#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "io/hdf5/hdf5.h"

// The encodings used by the HDF5 writer: the simplest ones that every HDF5 since 1.8 reads.
namespace stoker::h5 {

std::string encode_datatype(const H5Value& value);
std::string encode_dataspace(const H5Value& value);

struct EncodedMessage {
  uint8_t type;
  std::string body;
};
std::string encode_header(const std::vector<EncodedMessage>& messages);

// Variable-length strings are stored in collections, and referenced by address, index and length.
class TextHeap {
 public:
  explicit TextHeap(uint64_t address) : address_(address) {}
  void add(const std::string& text);
  std::string finish();  // the collections, to be written at the address
  const std::string& reference(const std::string& text) const { return references_.at(text); }

 private:
  void close();

  uint64_t address_;
  std::string written_, open_;
  uint16_t count_ = 0;
  std::map<std::string, std::string> references_;
};

}  // namespace stoker::h5
