#include "io/arrays/npy.h"

#include <fmt/format.h>

#include "core/hash/fingerprint.h"
#include "io/test_files.h"
#include "stoker/io.h"

namespace stoker {
namespace {

using std::string_literals::operator""s;

std::string npy(std::string descr, std::string shape, std::string_view data,
                std::string_view order = "False", char version = 1) {
  const std::string dict =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
  std::string length(version == 1 ? 2 : 4, '\0');
  length[0] = static_cast<char>(dict.size());
  return "\x93NUMPY"s + version + '\0' + length + dict + std::string(data);
}

Array parse(const std::string& bytes) { return parse_npy(blob_of(bytes, "a.npy")); }

TEST(Npy, ReadsStrings) {
  const Array bytes = parse(npy("'|S4'", "(2,)", std::string("cat\0mice", 8)));
  EXPECT_EQ(bytes.texts(), (std::vector<std::string>{"cat", "mice"}));
  EXPECT_EQ(bytes.data<int64_t>()[0], static_cast<int64_t>(fingerprint64("cat")));
  EXPECT_EQ(bytes.data<int64_t>()[1], static_cast<int64_t>(fingerprint64("mice")));
  const Array wide = parse(npy("'<U2'", "(1,)", std::string("\xe4\0\0\0\x41\0\0\0", 8)));
  EXPECT_EQ(wide.data<int64_t>()[0], static_cast<int64_t>(fingerprint64("\xc3\xa4"
                                                                        "A")));
  const Array transposed = parse(npy("'|S1'", "(2, 3)", "abcdef", "True"));
  EXPECT_EQ(transposed.texts(), (std::vector<std::string>{"a", "c", "e", "b", "d", "f"}));
  EXPECT_ERROR(parse(npy("'<U1'", "(1,)", "\xff\xff\xff\xff")), "is not a character");
  EXPECT_ERROR(parse(npy("'<U0'", "(1,)", "")), "dtype '<U0'");
}

TEST(Npy, KeepsEveryDTypeThroughAFile) {
  const TemporaryFolder folder;
  for (DType dtype : {DType::float16, DType::float32, DType::float64, DType::int8, DType::int32,
                      DType::int64, DType::uint8, DType::boolean}) {
    const Array saved = Array::from<float>({0, 1, 1, 0, 1, 0}, {2, 3}).astype(dtype);
    save_npy(folder / "a.npy", saved);
    const Array loaded = load_npy(folder / "a.npy");
    EXPECT_EQ(loaded.type(), saved.type());
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(loaded.at(i), saved.at(i)) << name_of(dtype);
  }
}

TEST(Npy, KeepsScalarsAndEmptyArrays) {
  const TemporaryFolder folder;
  save_npy(folder / "scalar.npy", Array::scalar(2.5));
  EXPECT_EQ(load_npy(folder / "scalar.npy").shape(), Shape{});
  EXPECT_EQ(load_npy(folder / "scalar.npy").at(0), 2.5);
  save_npy(folder / "empty.npy", Array(DType::float32, {0, 3}));
  EXPECT_EQ(load_npy(folder / "empty.npy").shape(), (Shape{0, 3}));
}

TEST(Npy, HeaderIsAlignedAsNumpyAligns) {
  const std::string header = npy_header(Array(DType::float32, {60000, 28, 28}));
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.back(), '\n');
}

TEST(Npy, ReadsVersions2And3) {
  for (char version : {2, 3})
    EXPECT_EQ(parse(npy("'|u1'", "(2,)", "\5\6", "False", version)).at(1), 6);
}

TEST(Npy, ConvertsFortranOrder) {
  // [[0, 1, 2], [3, 4, 5]] in Fortran order.
  const Array array = parse(npy("'|u1'", "(2, 3)", "\0\3\1\4\2\5"s, "True"));
  EXPECT_EQ(array.shape(), (Shape{2, 3}));
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(array.at(i), i);
}

TEST(Npy, ConvertsFortranOrderOfThreeDimensions) {
  // a[i, j, k] = 4i + 2j + k of shape (2, 2, 2) in Fortran order.
  const Array array = parse(npy("'|u1'", "(2, 2, 2)", "\0\4\2\6\1\5\3\7"s, "True"));
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(array.at(i), i);
}

TEST(Npy, ConvertsBigEndian) {
  EXPECT_EQ(parse(npy("'>i4'", "(1,)", "\0\0\1\2"s)).at(0), 258);
  EXPECT_EQ(parse(npy("'>f8'", "()", "\x3f\xf8\0\0\0\0\0\0"s)).at(0), 1.5);
  EXPECT_EQ(parse(npy("'>i2'", "(1,)", "\xff\xfe")).at(0), -2);
}

TEST(Npy, WidensIntegersThatHaveNoTypeHere) {
  const Array i2 = parse(npy("'<i2'", "(1,)", "\xff\xff")),
              u2 = parse(npy("'<u2'", "(1,)", "\xff\xff"));
  EXPECT_EQ(i2.dtype(), DType::int32);
  EXPECT_EQ(i2.at(0), -1);
  EXPECT_EQ(u2.dtype(), DType::int32);
  EXPECT_EQ(u2.at(0), 65535);
  const Array u4 = parse(npy("'<u4'", "(1,)", "\xff\xff\xff\xff"));
  EXPECT_EQ(u4.dtype(), DType::int64);
  EXPECT_EQ(u4.at(0), 4294967295.0);
  EXPECT_EQ(parse(npy("'<u8'", "(1,)", "\7\0\0\0\0\0\0\0"s)).at(0), 7);
}

TEST(Npy, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(parse(npy("'<u8'", "(1,)", "\0\0\0\0\0\0\0\x80"s)),
               "9223372036854775808 does not fit into int64. At a.npy, offset");
  EXPECT_ERROR(parse(npy("'|b1'", "(2,)", "\1\7")), "7 is not a boolean");
  EXPECT_ERROR(parse(npy("'|O'", "(2,)", "..")), "dtype object");
  EXPECT_ERROR(parse(npy("'|O'", "(2,)", "..")),
               "Hint: save it with a dtype: array.astype('float32') for numbers");
  EXPECT_ERROR(parse(npy("'<c8'", "(1,)", "12345678")), "dtype '<c8'");
  EXPECT_ERROR(parse(npy("[('a', '<f4')]", "(1,)", "1234")), "a structured dtype");
  EXPECT_ERROR(save_npy("/nowhere.npy", Array(DType::bfloat16, {1})), "no bfloat16");
}

TEST(Npy, RefusesDamage) {
  const std::string good = npy("'<f4'", "(2, 2)", "0123456789abcdef");
  EXPECT_EQ(parse(good).shape(), (Shape{2, 2}));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_ERROR(parse(good.substr(0, length)), "a.npy, offset") << length;
  EXPECT_ERROR(parse(good.substr(0, good.size() - 1)),
               "cut short: an array of shape (2, 2) needs 16 bytes, 15 are left");
  EXPECT_ERROR(parse(good + "x"), "1 bytes follow");
  EXPECT_ERROR(parse("GIF89a"), "not a .npy file");
  EXPECT_ERROR(parse(npy("'<f4'", "(1,)", "1234", "False", 9)), "version 9");
  EXPECT_ERROR(parse(npy("'<f4'", "(1,)", "1234", "Maybe")), "True or False");
  EXPECT_ERROR(parse(npy("'<f4'", "(1,), 'more': 2", "1234")), "unknown key 'more'");
  EXPECT_ERROR(parse(npy("'<f4', 'descr': '<f4'", "(1,)", "1234")), "'descr' occurs twice");
}

TEST(Npy, RefusesImpossibleShapesBeforeAllocating) {
  EXPECT_ERROR(parse(npy("'<f4'", "(1000000000000,)", "1234")), "needs 4000000000000 bytes");
  EXPECT_ERROR(parse(npy("'<f4'", "(4611686018427387904, 4)", "1234")), "is impossible");
  EXPECT_ERROR(parse(npy("'<f4'", "(4611686018427387904, 4611686018427387904, 0)", "")),
               "is impossible");
  EXPECT_ERROR(parse(npy("'<f4'", "(99999999999999999999,)", "1234")), "dimension");
  EXPECT_ERROR(parse(npy("'<f4'", "(-1,)", "1234")), "dimension");
}

TEST(Npy, NamesTheMissingFile) {
  EXPECT_ERROR(load_npy("/no/such.npy"),
               "cannot read \"/no/such.npy\": No such file or directory.");
  EXPECT_ERROR(load_npy("/"), "it is a folder");
}

}  // namespace
}  // namespace stoker
