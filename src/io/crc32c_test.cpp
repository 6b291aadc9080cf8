#include "io/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stoker {
namespace {

TEST(Crc32c, IsCastagnolis) {
  const std::string_view digits = "123456789";
  for (auto* checksum : {crc32c, crc32c_by_table}) {
    EXPECT_EQ(checksum(std::as_bytes(std::span(digits)), 0), 0xe3069283u);
    EXPECT_EQ(checksum({}, 0), 0u);
  }
}

TEST(Crc32c, IsTheTablesForAllLengthsAndAlignments) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(5000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  for (int i = 0; i < 2000; ++i) {
    const size_t begin = random() % 40, size = i < 300 ? random() % 40 : random() % 4900;
    const auto part = std::span(bytes).subspan(begin, size);
    const auto before = static_cast<uint32_t>(random());
    ASSERT_EQ(crc32c(part, before), crc32c_by_table(part, before)) << begin << " " << size;
    const size_t cut = size == 0 ? 0 : random() % size;
    ASSERT_EQ(crc32c(part.subspan(cut), crc32c(part.first(cut))), crc32c(part));
  }
}

}  // namespace
}  // namespace stoker
