#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "io/blob.h"

namespace stoker {

// TFRecord: records one after the other, each with its length and two checksums.
std::string encode_record(std::string_view data);
std::vector<Blob> parse_tfrecord(const Blob& file);

}  // namespace stoker
