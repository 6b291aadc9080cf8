#include <gtest/gtest.h>

#include <filesystem>

#include "io/packed/element_config.h"
#include "io/packed/packed_file.h"
#include "io/packed/packed_writer.h"
#include "io/test_files.h"

namespace stoker {
namespace {

Element sample(int64_t i) {
  Array image(DType::uint8, {2 + i % 3, 2, 3});
  auto pixels = image.mutable_data<uint8_t>();
  for (size_t p = 0; p < pixels.size(); ++p)
    pixels[p] = static_cast<uint8_t>(10 * i + static_cast<int64_t>(p));
  return Element::table(
      {{"image", image},
       {"label", Element::tuple({Array::scalar<int64_t>(i), Array::from<float>({0.5f, -1}, {2})})},
       {"words", Array::strings({"a" + std::to_string(i), "", std::string(3, '\0')}, {3})}});
}
ElementSpec spec_of_samples() {
  ElementSpec spec = spec_of(sample(0));
  spec.arrays[0].shape[0] = unknown;
  return spec;
}

void expect_same(const Element& a, const Element& b) {
  ASSERT_EQ(spec_of(a), spec_of(b));
  for (size_t i = 0; i < a.arrays().size(); ++i) {
    const Array &one = a.arrays()[i], &other = b.arrays()[i];
    if (one.holds_strings())
      EXPECT_EQ(one.texts(), other.texts());
    else
      EXPECT_EQ(std::memcmp(one.raw(), other.raw(), one.bytes()), 0);
  }
}

class Packed : public ::testing::Test {
 protected:
  void SetUp() override {
    PackedWriter writer(path);
    for (int64_t i = 0; i < 5; ++i) writer.add(sample(i));
    writer.finish(spec_of_samples(), Config::map({{"by", "test"}}));
  }
  Blob file() const { return read_file(path); }
  TemporaryFolder folder;
  std::string path = folder / "samples.stk";
};

TEST_F(Packed, GivesBackWhatWasWrittenInAnyOrder) {
  const PackedFile packed(file());
  EXPECT_EQ(packed.size(), 5);
  EXPECT_EQ(packed.spec(), spec_of_samples());
  EXPECT_EQ(packed.notes().find("by")->as_string(), "test");
  for (const int64_t i : {3, 0, 4, 1, 2}) expect_same(packed.at(i), sample(i));
}

TEST_F(Packed, EveryTruncationIsNoticedWhenItIsOpened) {
  const Blob whole = file();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(PackedFile(Blob::copy(whole.bytes().first(size), "cut")), IoError) << size;
}

TEST_F(Packed, EveryChangedByteIsNoticedOrPadding) {
  const Blob whole = file();
  for (size_t at = 0; at < whole.size(); ++at) {
    Blob changed = Blob::copy(whole.bytes(), "changed");
    changed.mutable_data()[at] ^= std::byte{4};
    try {
      const PackedFile packed(changed);
      for (int64_t i = 0; i < packed.size(); ++i) expect_same(packed.at(i), sample(i));
    } catch (const IoError&) {
    }
  }
}

TEST_F(Packed, ADamagedRecordIsNamedAndTheOthersAreThere) {
  Blob changed = Blob::copy(file().bytes(), "damaged.stk");
  changed.mutable_data()[64 + 40] ^= std::byte{1};  // in the first record
  const PackedFile packed(changed);
  expect_same(packed.at(1), sample(1));
  EXPECT_ERROR(packed.at(0), "the record is damaged");
  EXPECT_ERROR(packed.at(0), "damaged.stk, offset 64");
  EXPECT_ERROR(packed.at(0), "record 0");
}

TEST_F(Packed, OtherFilesAreRefused) {
  EXPECT_ERROR(
      PackedFile(Blob::copy(std::as_bytes(std::span("STOKER or not, no packed file at all")), "x")),
      "not a Stoker packed file");
}

TEST(PackedWriter, LeavesNoFileBehindUnlessItIsFinished) {
  const TemporaryFolder folder;
  {
    PackedWriter writer(folder / "samples.stk");
    writer.add(sample(0));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ElementConfig, GoesThereAndBack) {
  const ElementSpec spec = spec_of_samples();
  EXPECT_EQ(element_spec_from(to_config(spec)), spec);
  EXPECT_EQ(to_config(ElementSpec{{}, {{DType::uint8, {unknown, 3}}}}).to_string(),
            R"({"dtype": "uint8", "shape": [null, 3]})");
  EXPECT_THROW(element_spec_from(Config::map({{"dtype", "uint8"}})), InvalidArgument);
}

}  // namespace
}  // namespace stoker
