#include "stoker/sizes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/callbacks.h"
#include "stoker/layers.h"
#include "stoker/model.h"
#include "stoker/ops/conv.h"

namespace stoker {
namespace {

using namespace layers;

std::vector<int64_t> values(const Config& config) {
  std::vector<int64_t> all;
  for (const Config& item : config.as_list()) all.push_back(item.as_int());
  return all;
}

// The value of an argument in a layer's config.
std::vector<int64_t> argument(const LayerRef& layer, const std::string& name) {
  const Config config = layer->get_config();
  return values(*config.find(name));
}

using Sizes1 = std::vector<int64_t>;

TEST(LayerSizes, OneNumberMeansEveryAxisOfAConvolution) {
  EXPECT_EQ(argument(Conv1D({.filters = 2, .kernel_size = 3}), "kernel_size"), Sizes1({3}));
  EXPECT_EQ(argument(Conv2D({.filters = 2, .kernel_size = 3}), "kernel_size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(Conv3D({.filters = 2, .kernel_size = 3}), "kernel_size"), Sizes1({3, 3, 3}));
  const auto strided = Conv2D({.filters = 2, .kernel_size = 3, .strides = 2});
  EXPECT_EQ(argument(strided, "strides"), Sizes1({2, 2}));
  const auto dilated = Conv2D({.filters = 2, .kernel_size = 3, .dilation_rate = 2});
  EXPECT_EQ(argument(dilated, "dilation_rate"), Sizes1({2, 2}));
}

TEST(LayerSizes, OneNumberMeansEveryAxisOfTheOtherConvolutions) {
  EXPECT_EQ(argument(Conv2DTranspose({.filters = 2, .kernel_size = 3, .strides = 2}), "strides"),
            Sizes1({2, 2}));
  EXPECT_EQ(argument(Conv3DTranspose({.filters = 2, .kernel_size = 3}), "kernel_size"),
            Sizes1({3, 3, 3}));
  const LayerRef longer =
      Conv2DTranspose({.filters = 2, .kernel_size = 3, .strides = 2, .output_padding = 1});
  EXPECT_EQ(argument(longer, "output_padding"), Sizes1({1, 1}));
  const LayerRef pair =
      Conv2DTranspose({.filters = 2, .kernel_size = 3, .strides = 2, .output_padding = {1, 0}});
  EXPECT_EQ(argument(pair, "output_padding"), Sizes1({1, 0}));
  const Config without = Conv2DTranspose({.filters = 2, .kernel_size = 3})->get_config();
  EXPECT_TRUE(without.find("output_padding")->is_null());
  EXPECT_EQ(argument(DepthwiseConv1D({.kernel_size = 3}), "kernel_size"), Sizes1({3}));
  EXPECT_EQ(argument(DepthwiseConv2D({.kernel_size = 3}), "kernel_size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(SeparableConv1D({.filters = 2, .kernel_size = 3}), "kernel_size"),
            Sizes1({3}));
  EXPECT_EQ(argument(SeparableConv2D({.filters = 2, .kernel_size = 3}), "kernel_size"),
            Sizes1({3, 3}));
  EXPECT_EQ(argument(ConvLSTM2D({.filters = 2, .kernel_size = 3}), "kernel_size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(ConvLSTM3D({.filters = 2, .kernel_size = 3}), "kernel_size"),
            Sizes1({3, 3, 3}));
}

TEST(LayerSizes, OneNumberMeansEveryAxisOfPoolingAndResampling) {
  EXPECT_EQ(argument(MaxPooling1D({.pool_size = 3}), "pool_size"), Sizes1({3}));
  EXPECT_EQ(argument(MaxPooling2D({.pool_size = 3}), "pool_size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(MaxPooling3D({.pool_size = 3}), "pool_size"), Sizes1({3, 3, 3}));
  EXPECT_EQ(argument(AveragePooling2D({.pool_size = 3, .strides = 1}), "strides"), Sizes1({1, 1}));
  EXPECT_EQ(argument(AveragePooling3D({.pool_size = 3}), "strides"), Sizes1({3, 3, 3}));
  EXPECT_EQ(argument(MaxPooling2D({.pool_size = {2, 3}}), "strides"), Sizes1({2, 3}));
  EXPECT_EQ(argument(UpSampling2D({.size = 3}), "size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(UpSampling3D({.size = 3}), "size"), Sizes1({3, 3, 3}));
  EXPECT_EQ(argument(RandomGaussianBlur({.kernel_size = 5}), "kernel_size"), Sizes1({5, 5}));
  EXPECT_EQ(argument(ContrastLimitedAdaptiveHistogramEqualization({.tile_grid_size = 4}),
                     "tile_grid_size"),
            Sizes1({4, 4}));
}

TEST(LayerSizes, OneNumberMeansEveryEdgeOfPaddingAndCropping) {
  const Tensor image = Input({.shape = {8, 8, 1}});
  EXPECT_EQ(ZeroPadding2D({.padding = 2})(image).shape(), Shape({unknown, 12, 12, 1}));
  EXPECT_EQ(Cropping2D({.cropping = 2})(image).shape(), Shape({unknown, 4, 4, 1}));
}

TEST(LayerSizes, ListsAndVariablesMeanWhatTheySay) {
  const int size = 3;
  const int64_t stride = 2;
  const std::array<int64_t, 2> both{4, 5};
  EXPECT_EQ(argument(MaxPooling2D({.pool_size = both}), "pool_size"), Sizes1({4, 5}));
  EXPECT_EQ(argument(MaxPooling2D({.pool_size = {3}}), "pool_size"), Sizes1({3, 3}));
  const LayerRef layer = Conv2D({.filters = 2, .kernel_size = size, .strides = {stride, 1}});
  EXPECT_EQ(argument(layer, "kernel_size"), Sizes1({3, 3}));
  EXPECT_EQ(argument(layer, "strides"), Sizes1({2, 1}));
  EXPECT_EQ(layer(Input({.shape = {9, 9, 1}})).shape(), Shape({unknown, 4, 7, 2}));
}

TEST(LayerSizes, OneNumberMeansEveryAxisOfAnOp) {
  const Array x = test::random_array({1, 8, 8, 1}), kernel = test::random_array({3, 3, 1, 1});
  EXPECT_EQ(ops::conv2d(x, kernel, {.strides = 2}).shape(), Shape({1, 3, 3, 1}));
  EXPECT_EQ(ops::conv2d(x, kernel, {.padding = 1}).shape(), Shape({1, 8, 8, 1}));
  EXPECT_EQ(ops::max_pool2d(x, {.pool_size = 3, .strides = 1}).shape(), Shape({1, 6, 6, 1}));
}

TEST(LayerSizes, OneAxisNeedsNoBraces) {
  EXPECT_EQ(Dot({.axes = 1})->get_config().find("axes")->as_int(), 1);
  EXPECT_EQ(argument(Normalization({.axis = 1}), "axis"), Sizes1({1}));
  EXPECT_EQ(argument(PReLU({.shared_axes = 1}), "shared_axes"), Sizes1({1}));
  EXPECT_EQ(argument(PReLU({.shared_axes = {1, 2}}), "shared_axes"), Sizes1({1, 2}));
}

TEST(LayerSizes, AnErrorSaysWhereTheLayerWasCreated) {
  const auto says = [](auto make) {
    try {
      make();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto at = [](int line) { return fmt::format("created sizes_test.cpp:{}.", line); };
  const std::string zero = says([] { return Conv2D({.filters = 2, .kernel_size = 0}); });
  EXPECT_EQ(zero, "[conv2d] kernel_size must be positive, got 0. At layer " + at(__LINE__ - 1));
  const std::string none = says([] { return Conv2D({.filters = 2}); });
  EXPECT_EQ(none, "[conv2d] kernel_size is missing. At layer " + at(__LINE__ - 1));
  const std::string units = says([] { return Dense({.units = 0}); });
  EXPECT_NE(units.find(at(__LINE__ - 1)), std::string::npos) << units;
}

TEST(CompileAndFitArguments, OneNeedsNoBraces) {
  Sequential model({Input({.shape = {2}}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = "mae"});
  const Array x = test::random_array({8, 2}), y = test::random_array({8, 1});
  const History history = model.fit(x, y,
                                    {.epochs = 3,
                                     .verbose = 0,
                                     .callbacks = callbacks::EarlyStopping({.patience = 9}),
                                     .validation_data = {x, y}});
  EXPECT_EQ(history["val_mae"].size(), 3u);
  const Logs logs = model.evaluate(x, y, {.verbose = 0});
  EXPECT_EQ(logs["mae"], *logs.find("mae"));
  EXPECT_THROW(logs["maee"], InvalidArgument);
}

}  // namespace
}  // namespace stoker
