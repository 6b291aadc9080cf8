#pragma once
#include <cstring>
#include <string_view>

#include "stoker/array.h"

namespace stoker::data {

// By the file's first bytes.
inline bool is_image(std::string_view file) {
  return file.starts_with("\xff\xd8\xff") || file.starts_with("\x89PNG\r\n");
}

// A string's bytes, in the form image::Transform accepts.
inline Array bytes_of(const Array& string) {
  const std::string_view text = string.text();
  Array bytes(DType::uint8, Shape{static_cast<int64_t>(text.size())});
  if (!text.empty()) std::memcpy(bytes.mutable_raw(), text.data(), text.size());
  return bytes;
}

}  // namespace stoker::data
