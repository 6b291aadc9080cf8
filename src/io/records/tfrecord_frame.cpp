#include "io/records/tfrecord_frame.h"

#include "io/little.h"

namespace stoker::tfrecord {

std::string header(uint64_t length) {
  const std::string bytes = little(length);
  return bytes + little(masked_crc(bytes));
}

std::string footer(std::string_view data) { return little(masked_crc(data)); }

std::string encode(std::string_view data) {
  std::string out = header(data.size());
  out += data;
  return out + footer(data);
}

}  // namespace stoker::tfrecord
