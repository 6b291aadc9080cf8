#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "io/images/codecs/decode.h"
#include "io/test_files.h"
#include "test_places.h"

namespace stoker::images {

inline Blob seed(const std::string& name) {  // of a fuzzer's corpus, such as jpeg/gray
  return read_file(std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/" + name);
}

inline Array copied(const Pixels<const uint8_t>& pixels) {
  Array copy(DType::uint8, {pixels.height, pixels.width, pixels.channels});
  uint8_t* to = copy.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < pixels.height; ++y)
    to = std::copy_n(pixels.row(y), pixels.width * pixels.channels, to);
  return copy;
}

// The largest difference, in values.
inline ::testing::AssertionResult within(const Array& got, const Array& want, double most) {
  if (got.shape() != want.shape())
    return ::testing::AssertionFailure()
           << "shape " << to_string(got.shape()) << " instead of " << to_string(want.shape());
  for (int64_t i = 0; i < want.size(); ++i)
    if (!(std::abs(got.at(i) - want.at(i)) <= most))
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got.at(i) << " instead of " << want.at(i);
  return ::testing::AssertionSuccess();
}

// A test image: neighbouring pixels of a row differ.
inline Array pattern(int64_t height, int64_t width, int64_t channels = 3) {
  Array image(DType::uint8, {height, width, channels});
  auto values = image.mutable_data<uint8_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i * 37 + i * i / 50);
  return image;
}

}  // namespace stoker::images
