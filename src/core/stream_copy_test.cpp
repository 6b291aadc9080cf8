#include "core/stream_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stoker {
namespace {

TEST(StreamCopy, CopiesTheseBytesAndNoOthers) {
  std::vector<std::byte> from(1000);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (size_t size = 0; size < 600; size += size < 40 || size > 500 ? 1 : 13)
    for (const size_t shift : {0, 1, 7, 15, 16, 33}) {
      std::vector<std::byte> to(700, std::byte{0});
      stream_copy(to.data() + shift, from.data() + 3, size);
      std::vector<std::byte> want(700, std::byte{0});
      std::copy_n(from.begin() + 3, size, want.begin() + static_cast<std::ptrdiff_t>(shift));
      EXPECT_EQ(to, want) << size << " bytes at " << shift;
    }
}

}  // namespace
}  // namespace stoker
