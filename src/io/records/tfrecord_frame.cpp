#include "io/records/tfrecord_frame.h"

#include "io/little_endian.h"

namespace stoker::tfrecord {

std::string header(uint64_t length) {
  const std::string bytes = little_endian(length);
  return bytes + little_endian(masked_crc(bytes));
}

std::string footer(std::string_view data) { return little_endian(masked_crc(data)); }

std::string encode(std::string_view data) {
  std::string out = header(data.size());
  out += data;
  return out + footer(data);
}

}  // namespace stoker::tfrecord
