#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "io/records/byte_source.h"
#include "stoker/error.h"

namespace stoker {
namespace {

constexpr int window_bits = 15, gzip_header = 16;

class UnpackedSource : public ByteSource {
 public:
  UnpackedSource(std::unique_ptr<ByteSource> packed, bool gzip)
      : ByteSource(packed->name() + " (unpacked)"), packed_(std::move(packed)), gzip_(gzip) {
    if (inflateInit2(&stream_, window_bits + (gzip ? gzip_header : 0)) != Z_OK)
      throw OutOfMemory("cannot set up zlib.");
  }
  ~UnpackedSource() override { inflateEnd(&stream_); }

  size_t read(std::span<char> out) override {
    // zlib counts in 32 bits.
    const auto room = static_cast<uInt>(std::min<size_t>(out.size(), 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    while (stream_.avail_out == room && !ended_) step();
    return room - stream_.avail_out;
  }

 private:
  void step() {
    if (between_members_) {
      next_member();
      return;
    }
    if (damaged_) fail_damaged();
    if (!refill()) fail("the compressed data is cut short");
    const uInt room = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw OutOfMemory("zlib could not allocate its window.");
    between_members_ = status == Z_STREAM_END;
    damaged_ = status != Z_STREAM_END && status != Z_OK && status != Z_BUF_ERROR;
    if (damaged_ && stream_.avail_out == room) fail_damaged();  // otherwise after the valid bytes
  }

  [[noreturn]] void fail_damaged() const {
    fail(fmt::format("the compressed data is damaged ({})",
                     stream_.msg ? stream_.msg : "no reason given"));
  }

  // A gzip file may have several members, followed by zero padding.
  void next_member() {
    while (refill() && *stream_.next_in == 0) ++stream_.next_in, --stream_.avail_in;
    ended_ = stream_.avail_in == 0;
    if (ended_) return;
    if (!gzip_ || *stream_.next_in != 0x1f) fail("other bytes follow the compressed data");
    if (inflateReset(&stream_) != Z_OK) fail("zlib cannot be reset");
    between_members_ = false;
  }

  bool refill() {
    if (stream_.avail_in > 0) return true;
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = static_cast<uInt>(packed_->read(in_));
    taken_ += stream_.avail_in;
    return stream_.avail_in > 0;
  }

  [[noreturn]] void fail(const std::string& message) const {
    IoError error(message + ".");
    error.add_where(fmt::format("{}, offset {}", packed_->name(), taken_ - stream_.avail_in));
    throw error;
  }

  std::unique_ptr<ByteSource> packed_;
  bool gzip_, between_members_ = false, damaged_ = false, ended_ = false;
  uint64_t taken_ = 0;  // compressed bytes read into in_ so far
  z_stream stream_{};
  std::array<char, 1 << 16> in_;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed, Compression compression) {
  return std::make_unique<UnpackedSource>(std::move(packed), compression == Compression::gzip);
}

Compression compression_of(std::string_view type) {
  if (type.empty()) return Compression::none;
  if (type == "GZIP") return Compression::gzip;
  if (type == "ZLIB") return Compression::zlib;
  throw InvalidArgument(fmt::format("there is no compression_type \"{}\".", type),
                        "it is \"\", \"GZIP\" or \"ZLIB\".");
}

}  // namespace stoker
