#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "io/blob.h"
#include "io/records/byte_source.h"

namespace stoker {

// A buffered source for record readers: peek at the next bytes, then consume them. Peeked bytes are
// valid until the next peek or skip, and as long as the owner() of that time is held.
class BufferedInput {
 public:
  static constexpr size_t default_chunk = size_t{1} << 18;
  static constexpr size_t largest_record = size_t{1} << 31;  // larger ones are not held in memory

  explicit BufferedInput(std::unique_ptr<ByteSource> source, size_t chunk = default_chunk);
  explicit BufferedInput(const Blob& blob);  // in place

  const std::string& name() const { return name_; }
  // The offset of the next byte; in decompressed bytes for a compressed file.
  uint64_t offset() const { return end_offset_ - static_cast<uint64_t>(end_ - at_); }
  // The buffer's contents: at least `wanted` bytes, or what is left before the end.
  std::string_view peek(size_t wanted) {
    if (static_cast<size_t>(end_ - at_) < wanted) fetch(wanted);
    return {at_, static_cast<size_t>(end_ - at_)};
  }
  void consume(size_t bytes) { at_ += bytes; }  // of the peeked bytes
  uint64_t skip(uint64_t bytes);  // returns how many were skipped: fewer only at the end
  // Keeps the peeked chunk alive.
  std::shared_ptr<const void> owner() {
    lent_ = true;
    return chunk_;
  }

  std::string place(uint64_t offset) const;
  [[noreturn]] void fail(uint64_t offset, std::string message, std::string hint = {}) const;

 private:
  void fetch(size_t wanted);
  void make_room(size_t wanted);
  size_t believable() const;

  std::string name_;
  std::unique_ptr<ByteSource> source_;  // null: all bytes are in the chunk, or at the end
  size_t chunk_bytes_ = default_chunk;
  std::shared_ptr<char[]> chunk_;
  bool lent_ = false;  // the chunk may be referenced
  const char* at_ = nullptr;
  char *end_ = nullptr, *limit_ = nullptr;  // read so far, capacity
  uint64_t end_offset_ = 0;
};

// Opens a file with decompression.
BufferedInput open_input(const std::string& path, Compression compression = Compression::automatic);
BufferedInput unpack_input(BufferedInput input, Compression compression);

}  // namespace stoker
