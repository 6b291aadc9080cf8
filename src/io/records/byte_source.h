#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace stoker {

enum class Compression { none, gzip, zlib, automatic };  // automatic: gzip if the file begins so

// Where bytes come from, front to back: a file, a pipe, or another source that is unpacked.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }  // as errors call it
  // Fills a part of `out`, at least one byte; 0 only at the end.
  virtual size_t read(std::span<char> out) = 0;
  virtual uint64_t skip(uint64_t bytes);  // how many were skipped: fewer only at the end
  virtual std::optional<uint64_t> remaining() const { return std::nullopt; }

 private:
  std::string name_;
};

// A regular file, or a pipe or device as far as it gives.
std::unique_ptr<ByteSource> open_source(const std::string& path);
// The unpacked bytes of a gzip file (also of several members) or a zlib stream.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed, Compression compression);

}  // namespace stoker
