#include "io/archives/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "io/byte_cursor.h"
#include "stoker/error.h"

namespace stoker {
namespace {

constexpr int raw_deflate = -15, gzip_format = 15 + 16;

// Deflate cannot do better than 1032 to 1; large outputs of real data do not come near it.
void refuse_bomb(const Blob& packed, size_t size) {
  constexpr size_t possible = 1032, plausible = 200, large = size_t{1} << 30;
  const size_t ratio = size / std::max<size_t>(packed.size(), 1);
  if (ratio > possible)
    packed.fail(0, fmt::format("{} bytes cannot unpack to the declared {}.", packed.size(), size));
  if (ratio > plausible && size > large)
    packed.fail(0,
                fmt::format("{} bytes claim to unpack to {}, which looks like an attack.",
                            packed.size(), size),
                "if you trust the file, unpack it with another tool and store it uncompressed.");
}

// zlib counts in 32 bits; it gets windows of at most this size.
uInt window(size_t left) {
  return static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max()));
}

class Inflater {
 public:
  Inflater(const Blob& in, Blob& out, int format) : in_(in), out_(out) {
    if (inflateInit2(&stream_, format) != Z_OK) throw OutOfMemory("cannot set up zlib.");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void run() {
    int status = Z_OK;
    while (status == Z_OK) {
      const uInt given = window(in_.size() - read_), room = window(out_.size() - written_);
      // zlib's interface predates const.
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in_.data() + read_));
      stream_.next_out = reinterpret_cast<Bytef*>(out_.mutable_data() + written_);
      stream_.avail_in = given;
      stream_.avail_out = room;
      status = ::inflate(&stream_, Z_NO_FLUSH);
      read_ += given - stream_.avail_in;
      written_ += room - stream_.avail_out;
    }
    check(status);
  }

 private:
  void check(int status) const {
    if (status == Z_MEM_ERROR) throw OutOfMemory("zlib could not allocate its window.");
    if (status == Z_BUF_ERROR && read_ == in_.size())
      in_.fail(read_, fmt::format("the compressed data is cut short: {} of {} bytes unpacked.",
                                  written_, out_.size()));
    if (status == Z_BUF_ERROR)
      in_.fail(read_,
               fmt::format("the data unpacks to more than the {} bytes declared.", out_.size()));
    if (status != Z_STREAM_END)
      in_.fail(read_, fmt::format("the compressed data is damaged ({}).",
                                  stream_.msg ? stream_.msg : "no reason given"));
    if (written_ != out_.size())
      in_.fail(read_, fmt::format("{} bytes are declared, {} unpacked.", out_.size(), written_));
    if (read_ != in_.size())
      in_.fail(read_, fmt::format("{} bytes follow the compressed data.", in_.size() - read_));
  }

  const Blob& in_;
  Blob& out_;
  size_t read_ = 0, written_ = 0;
  z_stream stream_{};
};

Blob unpack(const Blob& packed, size_t size, std::string name, int format) {
  refuse_bomb(packed, size);
  Blob out = Blob::allocate(size, std::move(name));
  Inflater(packed, out, format).run();
  return out;
}

}  // namespace

Blob inflate(const Blob& packed, size_t size, std::string name) {
  return unpack(packed, size, std::move(name), raw_deflate);
}

bool is_gzip(const Blob& file) { return file.text().starts_with("\x1f\x8b"); }

Blob gunzip(const Blob& packed) {
  constexpr size_t header = 10, trailer = 8;
  if (!is_gzip(packed)) packed.fail(0, "this is not a gzip file.");
  if (packed.size() < header + trailer) packed.fail(packed.size(), "the gzip file is cut short.");
  ByteCursor end(packed, packed.size() - 4);
  const size_t size = end.little_endian<uint32_t>("the unpacked size");
  return unpack(packed, size, packed.name(), gzip_format);
}

}  // namespace stoker
