#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "io/blob.h"

namespace stoker {

// The members of a zip archive. Everything misleading is refused when it is opened: absolute names
// and "..", duplicates, overlaps, gaps, links, encryption, sizes beyond the file.
class ZipReader {
 public:
  explicit ZipReader(Blob file);

  std::vector<std::string> names() const;  // in the archive's order
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  Blob read(const std::string& name) const;  // unpacked, checksum verified

 private:
  struct Member {
    std::string name;
    uint16_t method = 0;
    bool streamed = false;
    uint32_t crc = 0;
    uint64_t packed = 0, size = 0, header = 0, data = 0;
  };
  struct Directory {
    uint64_t offset = 0, size = 0, count = 0, end = 0;
  };
  Directory find_directory() const;
  Directory zip64_directory(size_t end_record) const;
  Member read_member(class ByteCursor& cursor) const;
  void locate(Member& member, size_t limit) const;
  void refuse_overlaps_and_gaps(uint64_t end) const;
  const Member* find(const std::string& name) const;

  Blob file_;
  std::vector<Member> members_;
};

bool is_zip(const Blob& file);
bool is_safe_member_name(const std::string& name);  // not absolute, no "..", no backslash

// Writes uncompressed members. From 4 GiB on, sizes and offsets are zip64.
class ZipWriter {
 public:
  explicit ZipWriter(std::string path, uint64_t zip64_from = 0xffffffff)
      : file_(std::move(path)), zip64_from_(zip64_from) {}
  // The content is the concatenation of the parts. Names that the reader would refuse are refused
  // here.
  void add(const std::string& name, const std::vector<std::span<const std::byte>>& parts);
  void commit();

 private:
  AtomicFile file_;
  uint64_t zip64_from_;
  std::string directory_;
  std::set<std::string> names_;
};

}  // namespace stoker
