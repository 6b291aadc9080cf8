#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

// automatic: gzip if the file has its signature
enum class Compression { none, gzip, zlib, automatic };
// tf.data's names: "", "GZIP", "ZLIB". Throws InvalidArgument for others.
Compression compression_of(std::string_view type);

// A sequential source of bytes: a file, a pipe, or a compressed source.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }  // as errors call it
  // Fills a part of `out`, at least one byte; 0 only at the end.
  virtual size_t read(std::span<char> out) = 0;
  virtual uint64_t skip(uint64_t bytes);  // returns how many were skipped: fewer only at the end
  virtual std::optional<uint64_t> remaining() const { return std::nullopt; }

 private:
  std::string name_;
};

// A regular file, a pipe or a device.
std::unique_ptr<ByteSource> open_source(const std::string& path);
// The decompressed bytes of a gzip file (also of several members) or a zlib stream.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed, Compression compression);

}  // namespace stoker
