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

TEST(StreamRows, CopiesRowsByTheirNumbers) {
  const std::vector<int64_t> numbers{7, 0, 3, 3, 9, 1};
  for (const size_t row : {1, 8, 15, 100, 784, 1100}) {
    std::vector<std::byte> table(10 * row), want;
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::byte>(i * 31 + i / 256);
    for (const int64_t number : numbers) {
      const auto from = table.begin() + number * static_cast<std::ptrdiff_t>(row);
      want.insert(want.end(), from, from + static_cast<std::ptrdiff_t>(row));
    }
    for (const size_t shift : {0, 5, 16}) {
      std::vector<std::byte> to(shift + want.size() + 20, std::byte{77});
      stream_rows(to.data() + shift, table.data(), numbers, row);
      const auto rows = to.begin() + static_cast<std::ptrdiff_t>(shift);
      EXPECT_TRUE(std::equal(want.begin(), want.end(), rows)) << row << " bytes at " << shift;
      EXPECT_EQ(std::count(to.begin(), rows, std::byte{77}), static_cast<std::ptrdiff_t>(shift));
      EXPECT_EQ(std::count(to.end() - 20, to.end(), std::byte{77}), 20);
    }
  }
}

}  // namespace
}  // namespace stoker
