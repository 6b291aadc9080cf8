#include "io/images/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "io/images/resize_axis.h"
#include "io/images/test_images.h"

namespace stoker::images {
namespace {

constexpr Interpolation methods[] = {Interpolation::nearest, Interpolation::bilinear,
                                     Interpolation::area, Interpolation::bicubic};

Array resized(const Pixels<const uint8_t>& from, const RealBox& box, const ResizeOptions& options) {
  Array to(DType::float32, {9, 7, from.channels});
  ResizeMemory memory;
  resize(from, box, options, {}, mutable_pixels_of<float>(to), memory);
  return to;
}

template <class F>
void for_each_way(const F& f) {
  for (const Interpolation method : methods)
    for (const bool antialias : {false, true}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(method) << antialias);
      f(ResizeOptions{.interpolation = method, .antialias = antialias});
    }
}

TEST(Resize, ABoxIsAnImageOfItsOwn) {
  const Array image = pattern(31, 40);
  const Box box{4, 6, 20, 11};
  const Array cut = copied(pixels_of<uint8_t>(image).crop(box));
  for_each_way([&](const ResizeOptions& options) {
    EXPECT_TRUE(within(resized(pixels_of<uint8_t>(image), real(box), options),
                       resized(pixels_of<uint8_t>(cut), real({0, 0, 20, 11}), options), 0));
  });
}

TEST(Resize, FlippedIsReversed) {
  const Array image = pattern(12, 17);
  const RealBox whole = real({0, 0, 12, 17});
  for_each_way([&](ResizeOptions options) {
    const Array straight = resized(pixels_of<uint8_t>(image), whole, options);
    options.flip_left_right = true;
    const Array flipped = resized(pixels_of<uint8_t>(image), whole, options);
    for (int64_t y = 0; y < 9; ++y)
      for (int64_t x = 0; x < 7; ++x)
        for (int64_t c = 0; c < 3; ++c)
          ASSERT_EQ(flipped.at((y * 7 + x) * 3 + c), straight.at((y * 7 + 6 - x) * 3 + c));
  });
}

TEST(Resize, ChannelsAreIndependent) {
  for_each_way([&](const ResizeOptions& options) {
    for (const int64_t channels : {1, 2, 3, 4, 6}) {
      const Array image = pattern(12, 17, channels);
      const Array all = resized(pixels_of<uint8_t>(image), real({0, 0, 12, 17}), options);
      for (int64_t c = 0; c < channels; ++c) {
        Array one(DType::uint8, {12, 17, 1});
        for (int64_t i = 0; i < one.size(); ++i)
          one.mutable_data<uint8_t>()[static_cast<size_t>(i)] =
              static_cast<uint8_t>(image.at(i * channels + c));
        const Array alone = resized(pixels_of<uint8_t>(one), real({0, 0, 12, 17}), options);
        for (int64_t i = 0; i < alone.size(); ++i)
          ASSERT_NEAR(all.at(i * channels + c), alone.at(i), 1e-3);
      }
    }
  });
}

TEST(Resize, NormalisesByChannelAndRoundsBytes) {
  const Array image = pattern(5, 6);
  const RealBox whole = real({0, 0, 5, 6});
  const Normalization by{{0.5f, 2, -1, 1}, {1, -3, 400, 0}};
  Array floats(DType::float32, {5, 6, 3}), bytes(DType::uint8, {5, 6, 3});
  ResizeMemory memory;
  resize(pixels_of<uint8_t>(image), whole, {}, by, mutable_pixels_of<float>(floats), memory);
  resize(pixels_of<uint8_t>(image), whole, {}, by, mutable_pixels_of<uint8_t>(bytes), memory);
  for (int64_t i = 0; i < image.size(); ++i) {
    const auto c = static_cast<size_t>(i % 3);
    const double want = image.at(i) * by.scale[c] + by.offset[c];
    EXPECT_NEAR(floats.at(i), want, 1e-3);
    EXPECT_NEAR(bytes.at(i), std::clamp(want, 0.0, 255.0), 0.5001);
  }
}

TEST(Resize, WritesItsRowsOnly) {
  const Array image = pattern(5, 6);
  std::vector<float> memory_of_result(4 * 20, -7);
  ResizeMemory memory;
  const Pixels<float> to{memory_of_result.data(), 4, 5, 3, 20};
  resize(pixels_of<uint8_t>(image), real({0, 0, 5, 6}), {}, {}, to, memory);
  for (size_t i = 0; i < memory_of_result.size(); ++i)
    EXPECT_EQ(memory_of_result[i] == -7, i % 20 >= 15) << i;
}

TEST(Resize, WeightsAddUpToOneInsideTheBox) {
  for_each_way([&](const ResizeOptions& options) {
    for (const double begin : {0.0, 0.25, 3.0, 7.875})
      for (const double length : {0.125, 1.0, 2.5, 12.0})
        for (const int64_t out : {1, 2, 7, 40}) {
          std::vector<int32_t> starts;
          std::vector<float> weights;
          Axis axis{starts, weights};
          axis.plan(20, begin, length, out, options);
          for (size_t i = 0; i < starts.size(); ++i) {
            EXPECT_GE(starts[i], std::floor(begin));
            EXPECT_LE(starts[i] + axis.taps, std::ceil(begin + length));
            const auto first = weights.begin() + static_cast<int64_t>(i) * axis.taps;
            EXPECT_NEAR(std::accumulate(first, first + axis.taps, 0.0), 1, 1e-5);
          }
        }
  });
}

TEST(Resize, RefusesWhatDoesNotFit) {
  const Array image = pattern(5, 6);
  EXPECT_ERROR(resized(pixels_of<uint8_t>(image), real({0, 0, 6, 6}), {}),
               "rows 0 to 6 and columns 0 to 6 are not inside an image of 5 x 6");
  EXPECT_ERROR(resize(image, 0, 3), "cannot become 0 x 3");
  EXPECT_ERROR(resize(image.astype(DType::int32), 2, 3), "in int32");
  EXPECT_ERROR(parse_interpolation("lanczos4"), "unknown interpolation \"lanczos4\"");
}

}  // namespace
}  // namespace stoker::images
