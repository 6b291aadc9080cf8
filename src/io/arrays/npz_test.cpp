#include "io/arrays/npz.h"

#include "io/test_files.h"
#include "stoker/io.h"

namespace stoker {
namespace {

struct SavedNpz : ::testing::Test {
  SavedNpz() {
    save_npz(path, {{"weights", Array::from<float>({1, 2, 3, 4}, {2, 2})},
                    {"labels", Array::from<uint8_t>({7, 8}, {2})}});
  }
  TemporaryFolder folder;
  std::string path = folder / "data.npz";
};

TEST_F(SavedNpz, KeepsNamesOrderAndValues) {
  const NamedArrays arrays = load_npz(path);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].first, "weights");
  EXPECT_EQ(arrays[0].second.type(), (TensorType{DType::float32, {2, 2}}));
  EXPECT_EQ(arrays[0].second.data<float>()[3], 4);
  EXPECT_EQ(arrays[1].first, "labels");
  EXPECT_EQ(arrays[1].second.data<uint8_t>()[1], 8);
}

TEST_F(SavedNpz, ReadsOneMember) {
  EXPECT_EQ(load_npz(path, "labels").at(0), 7);
  EXPECT_EQ(load_array(path + ":labels").at(0), 7);
  EXPECT_ERROR(load_npz(path, "label"), "has no array \"label\"");
  EXPECT_ERROR(load_npz(path, "label"), "did you mean \"labels\"?");
}

TEST_F(SavedNpz, AsksForAMemberIfThereAreSeveral) {
  EXPECT_ERROR(load_array(path), "has 2 arrays: weights, labels.");
  save_npz(folder / "one.npz", {{"x", Array::scalar(3.0f)}});
  EXPECT_EQ(load_array(folder / "one.npz").at(0), 3);
}

TEST_F(SavedNpz, NamesTheDamagedMember) {
  std::string bytes(read_file(path).text());
  bytes[bytes.find("'shape'") + 9] = '!';
  EXPECT_ERROR(parse_npz(blob_of(bytes, "data.npz")), "member \"weights.npy\" is damaged");
}

}  // namespace
}  // namespace stoker
