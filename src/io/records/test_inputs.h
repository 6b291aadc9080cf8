#pragma once
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/records/buffered_input.h"
#include "io/records/tfrecord_reader.h"
#include "io/test_files.h"

namespace stoker {

// Returns a few bytes at a time, as a pipe may.
class TrickleSource : public ByteSource {
 public:
  TrickleSource(std::string_view text, std::string name, size_t step)
      : ByteSource(std::move(name)), text_(text), step_(step) {}
  size_t read(std::span<char> out) override {
    const size_t n = std::min({step_, out.size(), text_.size() - at_});
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), n, out.begin());
    at_ += n;
    return n;
  }

 private:
  std::string text_;
  size_t at_ = 0, step_;
};

inline BufferedInput memory_input(std::string_view text) {
  return BufferedInput(blob_of(text, "a"));
}

// Records cross the boundaries of its small chunks.
inline BufferedInput trickle_input(std::string_view text, size_t step = 3, size_t chunk = 7) {
  return BufferedInput(std::make_unique<TrickleSource>(text, "a", step), chunk);
}

// 16: gzip, 0: zlib.
inline std::string compressed(std::string_view text, int format = 16) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + format, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::vector<std::string> all_of(TFRecordReader reader) {
  std::vector<std::string> records;
  for (std::string_view record; reader.next(record);) records.emplace_back(record);
  return records;
}

}  // namespace stoker
