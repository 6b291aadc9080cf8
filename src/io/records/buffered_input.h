#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "io/blob.h"
#include "io/records/byte_source.h"

namespace stoker {

// A source through a buffer, as every record reader sees it: look at the next bytes, then consume
// them. What was looked at stays valid until the next look or skip, and for as long as somebody
// holds the owner() that belonged to it.
class BufferedInput {
 public:
  static constexpr size_t default_chunk = size_t{1} << 18;
  static constexpr size_t largest_record = size_t{1} << 31;  // more is not held in memory at once

  explicit BufferedInput(std::unique_ptr<ByteSource> source, size_t chunk = default_chunk);
  explicit BufferedInput(const Blob& blob);  // reads it in place

  const std::string& name() const { return name_; }
  // Where the next byte lies; in unpacked bytes where they are compressed.
  uint64_t offset() const { return end_offset_ - static_cast<uint64_t>(end_ - at_); }
  // All that is in the buffer: at least `wanted` bytes, or what there is before the end.
  std::string_view peek(size_t wanted) {
    if (static_cast<size_t>(end_ - at_) < wanted) fetch(wanted);
    return {at_, static_cast<size_t>(end_ - at_)};
  }
  void consume(size_t bytes) { at_ += bytes; }  // of what peek gave
  uint64_t skip(uint64_t bytes);                // how many were skipped: fewer only at the end
  // Keeps what peek gave, all of its chunk.
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
  bool lent_ = false;  // somebody may hold the chunk
  const char* at_ = nullptr;
  char *end_ = nullptr, *limit_ = nullptr;  // read so far, room to read into
  uint64_t end_offset_ = 0;
};

// A file, unpacked as it says.
BufferedInput open_input(const std::string& path, Compression compression = Compression::automatic);
BufferedInput unpack_input(BufferedInput input, Compression compression);

}  // namespace stoker
