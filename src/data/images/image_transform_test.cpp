#include "stoker/image_transform.h"

#include <gtest/gtest.h>

#include "data/stage.h"
#include "io/images/random_crop.h"
#include "io/images/test_images.h"
#include "stoker/dataset.h"
#include "support/golden.h"

namespace stoker::image {
namespace {

using images::pattern;
using images::within;

Array name_of_seed(const std::string& name) {
  const std::string path = std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/" + name;
  return Array::string(path);
}
Array bytes_of_seed(const std::string& name) {
  const Blob blob = images::seed(name);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(blob.data());
  return Array::from(std::vector<uint8_t>(bytes, bytes + blob.size()),
                     {static_cast<int64_t>(blob.size())});
}
Transform cropped() { return Transform().random_resized_crop(9, 7).random_flip_left_right(); }

TEST(ImageTransform, PadsAsTensorFlowDoes) {
  const golden::Group group = golden::load("images");
  int count = 0;
  for (const Config& c : group.cases()) {
    if (c.find("class_name")->as_string() != "resize_with_pad") continue;
    SCOPED_TRACE(golden::id(c));
    const auto& size = c.find("config")->find("size")->as_list();
    const auto padded = Transform().resize_with_pad(size[0].as_int(), size[1].as_int()).rescale(1);
    Random random(0);
    EXPECT_TRUE(within(padded(group.array(c, "image"), random), group.array(c, "output"), 1e-3));
    ++count;
  }
  EXPECT_EQ(count, 3);
}

// The fused pass equals the functions one after the other.
TEST(ImageTransform, IsTheFunctionsOneAfterTheOther) {
  const Array whole = decode_image(bytes_of_seed("jpeg/rgb_420"), 3);
  for (uint64_t i = 0; i < 20; ++i) {
    Random random(1, 0, i), same(1, 0, i), again(1, 0, i);
    const Array want =
        normalize(random_flip_left_right(random_resized_crop(whole, 9, 7, random), random),
                  {120, 110, 100}, {60, 50, 40});
    const Transform transform = cropped().normalize({120, 110, 100}, {60, 50, 40});
    EXPECT_TRUE(within(transform(bytes_of_seed("jpeg/rgb_420"), same), want, 1e-3));
    EXPECT_TRUE(within(transform(name_of_seed("jpeg/rgb_420"), again), want, 1e-3));
  }
}

TEST(ImageTransform, ChangesBytesBetweenTheSteps) {
  const Array image = pattern(20, 30);
  const Transform transform =
      cropped().random_brightness(0.3f).random_hue(0.2f).random_rotation(0.1f);
  for (uint64_t i = 0; i < 20; ++i) {
    Random random(2, 0, i), same(2, 0, i), again(2, 0, i);
    const Array sized = cropped()(image, random);
    EXPECT_EQ(sized.dtype(), DType::uint8);
    const Array want = random_rotation(
        random_hue(random_brightness(sized, 0.3f, random), 0.2f, random), 0.1f, random);
    EXPECT_TRUE(within(transform(image, same), want, 0));
    EXPECT_TRUE(
        within(transform.rescale(2, 1)(image, again), normalize(want, {-0.5f}, {0.5f}), 1e-3));
  }
}

TEST(ImageTransform, KeepsSizesThatNobodyChanges) {
  Random random(1);
  const Array image = pattern(5, 6);
  EXPECT_TRUE(within(Transform()(image, random), image, 0));
  const Array flipped = Transform()
                            .then([](const Array& given, Random&) { return flip_up_down(given); })
                            .rescale(1)(image, random);
  EXPECT_TRUE(within(flipped, flip_up_down(image).astype(DType::float32), 0));
  const auto dataset = Dataset::from_tensor_slices(image.reshape({1, 5, 6, 3})).map(Transform());
  EXPECT_EQ(to_string(dataset.element_spec()), "uint8(5, 6, 3)");
}

Dataset files() {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i)
    names.emplace_back(name_of_seed(i % 3 == 0 ? "png/rgb" : "jpeg/rgb_444").text());
  Array labels(DType::int32, {30});
  for (size_t i = 0; i < 30; ++i) labels.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return Dataset::from_tensor_slices({Array::strings(names, {30}), labels});
}

// Written in place into rows of a batch by any number of threads, or made one by one: the same
// numbers.
TEST(ImageTransform, WritesRowsOfBatches) {
  const Transform transform = cropped().random_contrast(0.5f, 1.5f).normalize({100}, {50});
  const Dataset batches = files().map(transform, {.seed = 3}).shuffle(30, {.seed = 1}).batch(8),
                serial = files()
                             .map(
                                 [=](const Array&name, const Array&label, Random&random) {
                                   return std::pair(transform(name, random), label);
                                 },
                                 {.num_parallel_calls = AUTOTUNE, .seed = 3})
                             .shuffle(30, {.seed = 1})
                             .batch(8);
  EXPECT_EQ(to_string(batches.element_spec()), "(float32(None, 9, 7, 3), int32(None,))");
  const auto read = [](const Dataset& dataset, int threads) {
    data::Workers workers(threads);
    const auto cursor = dataset.stage()->open({.pass = 2, .workers = &workers});
    std::vector<double> all;
    Element batch;
    while (cursor->next(batch))
      for (const Array& array : batch.arrays())
        for (int64_t i = 0; i < array.size(); ++i) all.push_back(array.at(i));
    return all;
  };
  const auto want = read(serial, 1);
  EXPECT_EQ(read(batches, 1), want);
  EXPECT_EQ(read(batches, 5), want);
}

TEST(ImageTransform, ReadsOnlyTheScaleThatIsNeeded) {
  Random random(1);
  const Transform small = Transform().resize(4, 6, {.antialias = true});
  const Array name = name_of_seed("jpeg/rgb_444");
  const Array full = small(name, random), scaled = small.scaled_decode()(name, random);
  EXPECT_FALSE(within(scaled, full, 0));
  EXPECT_TRUE(within(scaled, full, 12));
}

TEST(ImageTransform, SaysWhatIsWrong) {
  EXPECT_ERROR(Transform(2), "1, 3 or 4 channels can be decoded, got 2");
  EXPECT_ERROR(Transform().random_flip_up_down().resize(2, 2), "can only be the first step");
  EXPECT_ERROR(Transform().resize(0, 2), "images of 0 x 2 pixels");
  EXPECT_ERROR(Transform().rescale(1).random_hue(0.1f), "come last");
  EXPECT_ERROR(Transform().random_resized_crop(4, 4, {.min_area = 2}), "got area 2 to 1");
  EXPECT_ERROR(Transform().normalize({1, 2}, {1}), "for an image of 3 channels");
  const auto numbers = Dataset::range(3);
  EXPECT_ERROR(numbers.map(Transform()), "the elements int64() is not an image");
  EXPECT_ERROR(numbers.map(Transform()), "image_transform_test.cpp:");
  Random random(1);
  const auto halves = Transform().then([](const Array&, Random&) { return pattern(1, 1); });
  EXPECT_ERROR(halves(pattern(2, 2), random), "made uint8(1, 1, 3) of uint8(2, 2, 3)");
  const auto missing = Dataset::from_tensor_slices(Array::strings({"/nowhere/a.jpg"}, {1}));
  EXPECT_ERROR(missing.map(cropped()).batch(1).begin(), "/nowhere/a.jpg");
}

}  // namespace
}  // namespace stoker::image
