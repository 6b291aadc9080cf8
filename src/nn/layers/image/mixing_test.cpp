#include "stoker/layers/mixing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stoker/error.h"
#include "stoker/model.h"

// What cannot be compared with Keras because random numbers differ: what is mixed, and how much.
namespace stoker {
namespace {

// All pixels of image i are i, and its class is i.
Array numbered_images(int64_t count, int64_t size) {
  Array images(DType::float32, {count, size, size, 1});
  auto pixels = images.mutable_data<float>();
  for (size_t p = 0; p < pixels.size(); ++p)
    pixels[p] = static_cast<float>(p / static_cast<size_t>(size * size));
  return images;
}
Array numbered_classes(int64_t count) {
  Array labels(DType::float32, {count, count});
  for (int64_t i = 0; i < count; ++i)
    labels.mutable_data<float>()[static_cast<size_t>(i * count + i)] = 1;
  return labels;
}

struct Mixed {
  Array images, labels;
};
Mixed mix(const LayerRef& layer, int64_t count, int64_t size) {
  const auto out =
      layer.call_all({numbered_images(count, size), numbered_classes(count)}, {.training = true});
  return {out[0].array(), out[1].array()};
}

// The mean of a row's pixels that the labels imply.
double expected_value(const Array& labels, int64_t row) {
  const int64_t n = labels.shape()[1];
  double value = 0, total = 0;
  for (int64_t c = 0; c < n; ++c) {
    value += labels.at(row * n + c) * static_cast<double>(c);
    total += labels.at(row * n + c);
  }
  EXPECT_NEAR(total, 1, 1e-5);
  return value;
}

TEST(MixUp, MixesImagesAsItMixesLabels) {
  const int64_t count = 8, size = 3;
  const Mixed mixed = mix(layers::MixUp({.alpha = 1.0, .seed = 4}), count, size);
  int changed = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = expected_value(mixed.labels, i);
    for (int64_t p = 0; p < size * size; ++p)
      EXPECT_NEAR(mixed.images.at(i * size * size + p), value, 1e-4);
    changed += std::abs(value - static_cast<double>(i)) > 1e-3;
  }
  EXPECT_GT(changed, 3);
}

// The variance of a beta distribution is 1 / (4 (2 alpha + 1)).
TEST(MixUp, SharesAreOfTheBetaDistribution) {
  for (double alpha : {0.2, 1.0, 5.0}) {
    const LayerRef layer = layers::MixUp({.alpha = alpha, .seed = 7});
    constexpr int64_t samples = 256;
    const Mixed mixed = mix(layer, samples, 1);
    double mean = 0, square = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i < samples; ++i) {
      const double share = mixed.labels.at(i * samples + i);
      if (share > 1 - 1e-6) continue;  // mixed with itself
      mean += share, square += share * share, ++counted;
    }
    ASSERT_GT(counted, 150);
    mean /= static_cast<double>(counted), square /= static_cast<double>(counted);
    EXPECT_NEAR(mean, 0.5, 0.12) << alpha;
    EXPECT_NEAR(square - mean * mean, 1 / (4 * (2 * alpha + 1)), 0.05) << alpha;
  }
}

TEST(CutMix, LabelsAreMixedByTheArea) {
  const int64_t count = 8, size = 16;
  const Mixed mixed = mix(layers::CutMix({.factor = Config::List{1, 1}, .seed = 4}), count, size);
  int changed = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t own = 0;
    double other = static_cast<double>(i);
    for (int64_t p = 0; p < size * size; ++p) {
      const double pixel = mixed.images.at(i * size * size + p);
      own += pixel == static_cast<double>(i);
      if (pixel != static_cast<double>(i)) other = pixel;
    }
    const auto from = static_cast<int64_t>(other);
    EXPECT_EQ(static_cast<double>(from), other);  // whole pixels
    expected_value(mixed.labels, i);
    const double share = static_cast<double>(own) / static_cast<double>(size * size);
    if (from == i) continue;
    EXPECT_NEAR(mixed.labels.at(i * count + i), share, 2.0 / static_cast<double>(size));
    EXPECT_NEAR(mixed.labels.at(i * count + from), 1 - share, 2.0 / static_cast<double>(size));
    ++changed;
  }
  EXPECT_GT(changed, 3);
}

TEST(Mixing, ATableOfInputsIsWrittenAndReadAsKerasDoes) {
  const Tensor images = Input({.shape = {4, 4, 3}, .name = "x"}),
               labels = Input({.shape = {5}, .name = "y"});
  const auto out = layers::MixUp({.seed = 1}).call_all({images, labels});
  const Model model({.inputs = {images, labels}, .outputs = out});
  const Config config = model.get_config();
  const Config& args = config.find("layers")->as_list().back().find("inbound_nodes")->as_list()[0];
  const Config& table = args.find("args")->as_list()[0];
  EXPECT_TRUE(table.find("images") && table.find("labels")) << args.to_string();
  EXPECT_EQ(Model::from_config(config).get_config(), config);
}

TEST(Mixing, LabelsMustBeOneHot) {
  const LayerRef layer = layers::CutMix();
  const Array images = numbered_images(2, 4), numbers(DType::int64, {2});
  EXPECT_THROW(layer.call_all({images, numbers}), InvalidArgument);
  EXPECT_THROW(layers::MixUp({.alpha = 0}), InvalidArgument);
  EXPECT_THROW(layers::CutMix({.factor = 1.5}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
