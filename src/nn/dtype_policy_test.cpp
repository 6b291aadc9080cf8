#include "stoker/dtype_policy.h"

#include "graph/trace.h"
#include "nn/test_models.h"
#include "stoker/layers.h"
#include "stoker/losses.h"
#include "support/policy_scope.h"
#include "support/tolerance.h"

namespace stoker {
namespace {

using namespace test;
using testing::PolicyScope;

TEST(DTypePolicy, NamesGiveBothTypes) {
  EXPECT_EQ(DTypePolicy("mixed_float16").compute_dtype(), DType::float16);
  EXPECT_EQ(DTypePolicy("mixed_float16").variable_dtype(), DType::float32);
  EXPECT_EQ(DTypePolicy("mixed_bfloat16").compute_dtype(), DType::bfloat16);
  EXPECT_EQ(DTypePolicy(DType::float64).variable_dtype(), DType::float64);
  try {
    DTypePolicy("mixed_flaot16");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("mixed_float16"), std::string::npos) << error.what();
  }
  EXPECT_THROW(set_dtype_policy("int32"), InvalidArgument);
  EXPECT_EQ(dtype_policy().name(), "float32");
}

TEST(DTypePolicy, ALayersOwnStandsOverTheGlobal) {
  const PolicyScope scope("mixed_bfloat16");
  const LayerRef mixed = layers::Dense({.units = 2}),
                 plain = layers::Dense({.units = 2, .dtype = "float32"});
  EXPECT_EQ(mixed->dtype_policy().name(), "mixed_bfloat16");
  EXPECT_EQ(plain->compute_dtype(), DType::float32);
  const Tensor x = random_array({3, 4});
  EXPECT_EQ(mixed(x).dtype(), DType::bfloat16);
  EXPECT_EQ(plain(mixed(x)).dtype(), DType::float32);
  for (const LayerRef& layer : {mixed, plain})
    for (const Variable& v : layer->weights()) EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_EQ(mixed->weights()[0].read().dtype(), DType::float32) << "outside a call it is itself";
  EXPECT_THROW(mixed->set_dtype_policy("float64"), InvalidArgument);
}

TEST(DTypePolicy, ComesBackFromConfigInKerassForm) {
  const Config config =
      layers::Conv2D({.filters = 2, .kernel_size = {3, 3}, .dtype = "mixed_float16"})->get_config();
  const Config* dtype = config.find("dtype");
  ASSERT_NE(dtype, nullptr);
  EXPECT_EQ(dtype->find("class_name")->as_string(), "DTypePolicy");
  EXPECT_EQ(dtype->find("module")->as_string(), "keras");
  EXPECT_EQ(dtype->find("config")->find("name")->as_string(), "mixed_float16");
  EXPECT_EQ(make_layer_from_config("Conv2D", config)->dtype_policy().name(), "mixed_float16");
  Config quantized = config;
  quantized["dtype"] =
      Config::map({{"class_name", "QuantizedDTypePolicy"}, {"config", Config::map()}});
  EXPECT_THROW(make_layer_from_config("Conv2D", quantized), Unsupported);
  const LayerRef named =
      make_layer_from_config("Dense", Config::map({{"units", 2}, {"dtype", "mixed_bfloat16"}}));
  EXPECT_EQ(named->compute_dtype(), DType::bfloat16);
}

// Integers are labels and pixels, which a cast to 16 bits would corrupt.
TEST(DTypePolicy, CastsFloatsOnEntryAndNothingElse) {
  struct Same : Layer {
    Same() : Layer("Same") {}
    Tensor call(const Tensor& x, const CallArgs&) override { return x; }
  };
  const PolicyScope scope("mixed_float16");
  const LayerRef layer = make_layer<Same>();
  EXPECT_EQ(layer(Tensor(Array(DType::float64, {2}))).dtype(), DType::float16);
  EXPECT_EQ(layer(Tensor(Array(DType::int32, {2}))).dtype(), DType::int32);
}

// Sums of squares of 300 overflow float16; the statistics are computed in float32.
TEST(DTypePolicy, BatchNormalizationKeepsItsStatisticsInFloat32) {
  const PolicyScope scope("mixed_float16");
  const LayerRef layer = layers::BatchNormalization();
  Array x(DType::float32, {64, 1});
  for (int64_t i = 0; i < 64; ++i)
    x.mutable_data<float>()[static_cast<size_t>(i)] = i % 2 ? 900.f : 300.f;
  const Tensor y = layer(Tensor(x), {.training = true});
  EXPECT_EQ(y.dtype(), DType::float16);
  EXPECT_NEAR(y.array().at(0), -1, 1e-3);
  EXPECT_NEAR(layer->weights()[3].array().at(0), 0.99 + 0.01 * 90000, 1);
}

Sequential image_model() {
  set_random_seed(1);
  Sequential model(
      {Input({.shape = {6, 6, 2}}), layers::Rescaling({.scale = 0.5, .offset = 0.1}),
       layers::Conv2D(
           {.filters = 3, .kernel_size = {3, 3}, .activation = "relu", .kernel_regularizer = "l2"}),
       layers::BatchNormalization(), layers::PReLU(), layers::MaxPooling2D(),
       layers::Dropout({.rate = 0.2}), layers::Flatten(),
       layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = {"sparse_categorical_crossentropy"}, .metrics = {"accuracy"}});
  return model;
}

// The same weights, batches and dropout masks in every precision, so that losses stay close.
TEST(DTypePolicy, ModelsTrainAlikeInEveryPrecision) {
  const Array images = random_array({60, 6, 6, 2}), labels = samples(60).y;
  std::vector<double> expected;
  for (const char* policy : {"float64", "float16", "bfloat16", "mixed_float16", "mixed_bfloat16"}) {
    SCOPED_TRACE(policy);
    const PolicyScope scope(policy);
    Sequential model = image_model();
    const auto losses =
        model.fit(images, labels, {.batch_size = 20, .epochs = 4, .verbose = 0})["loss"];
    if (expected.empty()) expected = losses;
    const DType dtype = dtype_policy().compute_dtype();
    for (size_t i = 0; i < losses.size(); ++i)
      EXPECT_TRUE(testing::program_tolerance(dtype).holds(losses[i], expected[i]))
          << losses[i] << " instead of " << expected[i];
    EXPECT_EQ(model.predict(images).dtype(), dtype);
    EXPECT_EQ(model.skipped_steps(), 0);
  }
}

// A loss on the logits of a 16-bit softmax is exact where the probabilities are rounded to 0 or 1.
TEST(DTypePolicy, CrossEntropySeesTheLogitsBehindA16BitSoftmax) {
  graph::Trace trace;
  const graph::EmitterScope scope(trace);
  const PolicyScope policy("mixed_float16");
  const LayerRef layer = layers::Softmax();
  const Tensor p = layer(trace.input({DType::float16, {4, 3}}));
  const Tensor loss = losses::SparseCategoricalCrossentropy()(trace.input({DType::int32, {4}}), p);
  EXPECT_EQ(loss.dtype(), DType::float32);
  EXPECT_EQ(trace.graph().to_string().find("log "), std::string::npos) << trace.graph().to_string();
}

}  // namespace
}  // namespace stoker
