#pragma once
#include <cstdint>
#include <set>
#include <string_view>

#include "io/blob.h"

// The layers of the HDF5 reader, bottom up: hdf5_file (blocks by address), hdf5_header (an object's
// messages), hdf5_types (dataspace and datatype), hdf5_heap, hdf5_fractal_heap and hdf5_dense (what
// newer files have instead), hdf5_links (a group's children), hdf5_chunks and
// hdf5_storage (a dataset's bytes), hdf5_value (bytes to numbers and texts), hdf5_reader (the
// tree).
namespace stoker::h5 {

constexpr uint64_t no_address = ~uint64_t{0};

// The bytes of a file being read. Blocks of a valid file do not overlap, so the total read cannot
// exceed a small multiple of its size: a file that refers to itself repeatedly is stopped there.
class File {
 public:
  explicit File(Blob bytes);

  const Blob& bytes() const { return bytes_; }
  uint64_t root() const { return root_; }

  Blob block(uint64_t address, uint64_t size, std::string_view what);
  // A block that starts with this four-letter signature; its trailing checksum is verified if it
  // has one.
  Blob signed_block(uint64_t address, uint64_t size, std::string_view signature,
                    std::string_view what);
  Blob checked_block(uint64_t address, uint64_t size, std::string_view signature,
                     std::string_view what);
  void spend(uint64_t bytes, std::string_view what);
  // Structures that refer to each other must not form a cycle.
  void enter(uint64_t address, std::string_view what);

 private:
  void read_superblock();

  Blob bytes_;
  uint64_t root_ = no_address, left_ = 0;
  std::set<uint64_t> entered_;
};

// Bob Jenkins's lookup3, the checksum of the newer structures.
uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace stoker::h5
