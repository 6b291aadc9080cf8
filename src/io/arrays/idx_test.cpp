#include "io/arrays/idx.h"

#include <zlib.h>

#include "io/archives/inflate.h"
#include "io/test_files.h"

namespace stoker {
namespace {

using std::string_literals::operator""s;

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Array parse(const std::string& bytes) { return parse_idx(blob_of(bytes, "a.idx")); }

const std::string bytes_2x2 = "\0\0\x08\2\0\0\0\2\0\0\0\2\1\2\3\xff"s;

TEST(Idx, ReadsBytesAsUint8) {
  const Array array = parse(bytes_2x2);
  EXPECT_EQ(array.type(), (TensorType{DType::uint8, {2, 2}}));
  EXPECT_EQ(array.at(3), 255);
}

TEST(Idx, ReadsEveryElementType) {
  const auto one = [](char code, const std::string& data) {
    return parse("\0\0"s + code + "\1\0\0\0\1"s + data);
  };
  EXPECT_EQ(one(0x09, "\xff").at(0), -1);
  EXPECT_EQ(one(0x0b, "\xff\xfe").at(0), -2);
  EXPECT_EQ(one(0x0b, "\xff\xfe").dtype(), DType::int32);
  EXPECT_EQ(one(0x0c, "\0\1\0\0"s).at(0), 65536);
  EXPECT_EQ(one(0x0d, "\x3f\xc0\0\0"s).data<float>()[0], 1.5f);
  EXPECT_EQ(one(0x0e, "\x3f\xf8\0\0\0\0\0\0"s).data<double>()[0], 1.5);
}

TEST(Idx, ReadsGzip) { EXPECT_EQ(parse(gzip(bytes_2x2)).at(2), 3); }

TEST(Idx, RefusesDamage) {
  for (size_t length = 0; length < bytes_2x2.size(); ++length)
    EXPECT_ERROR(parse(bytes_2x2.substr(0, length)), "cut short") << length;
  EXPECT_ERROR(parse(bytes_2x2 + "x"), "1 bytes follow");
  EXPECT_ERROR(parse("\0\0\x0a\1\0\0\0\0"s), "no element type 0x0a");
  EXPECT_ERROR(parse("\1\0\x08\1\0\0\0\0"s), "not an IDX file");
  EXPECT_ERROR(parse("\0\0\x08\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s), "impossible");
  EXPECT_ERROR(parse("\0\0\x0e\2\x7f\xff\xff\xff\x00\xff\xff\xff"s), "bytes, 0 are left");
}

TEST(Idx, RefusesDamagedGzip) {
  const std::string good = gzip(bytes_2x2);
  for (size_t length = 2; length < good.size(); ++length)
    EXPECT_ERROR(parse(good.substr(0, length)), "a.idx, offset") << length;
  std::string flipped = good;
  flipped[good.size() - 6] ^= 1;
  EXPECT_ERROR(parse(flipped), "damaged");
  EXPECT_ERROR(parse(good + good), "bytes follow the compressed data");
}

TEST(Gzip, RefusesADeclaredSizeThatCannotBe) {
  std::string bytes = gzip(bytes_2x2);
  bytes[bytes.size() - 1] = 0x7f;
  EXPECT_ERROR(gunzip(blob_of(bytes)), "cannot unpack to");
}

TEST(Gzip, NeverWritesMoreThanDeclared) {
  std::string bytes = gzip(std::string(100'000, 'x'));
  bytes.replace(bytes.size() - 4, 4, "\x64\0\0\0"s);
  EXPECT_ERROR(gunzip(blob_of(bytes)), "more than the 100 bytes declared");
}

}  // namespace
}  // namespace stoker
