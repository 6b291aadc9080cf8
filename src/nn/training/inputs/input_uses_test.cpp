#include "nn/training/inputs/input_uses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "nn/test_models.h"
#include "stoker/layers.h"
#include "stoker/ops/elementwise.h"

namespace stoker {
namespace {

using namespace layers;

constexpr int64_t rows = 10;

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_SAYS(run, text)                                         \
  {                                                                    \
    const std::string said = message_of([&] { (void)(run); });         \
    EXPECT_NE(said.find(text), std::string::npos) << "said: " << said; \
  }

Array ids(const std::vector<int64_t>& values) {
  return Array::from(values, {static_cast<int64_t>(values.size()) / 2, 2});
}
const Array targets = test::random_array({3, 1});

// All ways to pass data reject ids out of the Embedding's range.
void expect_checked(Model& model, const Array& good, const Array& bad, const std::string& text) {
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_SAYS(model.fit(bad, targets, {.verbose = 0}), text);
  EXPECT_SAYS(model.fit(good, targets, {.verbose = 0, .validation_data = {bad, targets}}), text);
  EXPECT_SAYS(model.evaluate(bad, targets, {.verbose = 0}), text);
  EXPECT_SAYS(model.predict(bad), text);
  EXPECT_SAYS(model.train_on_batch(bad, targets), text);
  EXPECT_SAYS(model.test_on_batch(bad, targets), text);
  EXPECT_SAYS(model.predict_on_batch(bad), text);
  EXPECT_TRUE(std::isfinite(model.fit(good, targets, {.verbose = 0})["loss"][0]));
}

const std::vector<int64_t> good_ids{0, 9, 1, 2, 3, 4};
std::vector<int64_t> with_id(int64_t id) { return {0, 9, 1, id, 3, 4}; }

TEST(EmbeddingIds, OutOfRangeAreRefusedInASequentialModel) {
  for (int64_t id : {int64_t{10}, int64_t{-1}, int64_t{1} << 40}) {
    Sequential model({Input({.shape = {2}, .dtype = DType::int64}),
                      Embedding({.input_dim = rows, .output_dim = 3, .name = "words"}), Flatten(),
                      Dense({.units = 1})});
    expect_checked(model, ids(good_ids), ids(with_id(id)),
                   fmt::format("sample 1 of input 0 has id {}, but the Embedding \"words\" has "
                               "rows 0 to 9.",
                               id));
  }
}

TEST(EmbeddingIds, OutOfRangeAreRefusedWithoutAnInput) {
  Sequential model(
      {Embedding({.input_dim = rows, .output_dim = 3}), Flatten(), Dense({.units = 1})});
  expect_checked(model, ids(good_ids), ids(with_id(10)), "sample 1 of input 0 has id 10");
}

TEST(EmbeddingIds, OutOfRangeAreRefusedBehindReshapesAndCastsAndInNestedModels) {
  Sequential inner({Input({.shape = {2}}), Reshape({.target_shape = {2, 1}}),
                    Embedding({.input_dim = rows, .output_dim = 3}), Flatten()});
  const Tensor input = Input({.shape = {2, 1}});
  Model model({.inputs = {input}, .outputs = {Dense({.units = 1})(inner(Flatten()(input)))}});
  const auto floats = [](const std::vector<int64_t>& values) {
    return ids(values).astype(DType::float32).reshape({3, 2, 1});
  };
  expect_checked(model, floats(good_ids), floats(with_id(11)), "sample 1 of input 0 has id 11");
}

TEST(EmbeddingIds, AreCheckedByTheSmallestTableAndOnlyWhereATableReadsThem) {
  const Tensor a = Input({.shape = {2}, .dtype = DType::int32}), b = Input({.shape = {2}});
  const auto embed = [&](int64_t size) {
    return Flatten()(Embedding({.input_dim = size, .output_dim = 2})(a));
  };
  Model model({.inputs = {b, a},
               .outputs = {Dense({.units = 1})(Concatenate()({embed(20), embed(rows), b}))}});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array large = test::random_array({3, 2}), bad = ids(with_id(15)).astype(DType::int32);
  EXPECT_SAYS(model.fit({large, bad}, targets, {.verbose = 0}), "sample 1 of input 1 has id 15");
  const Array good = ids(good_ids).astype(DType::int32);
  EXPECT_EQ(message_of([&] { model.fit({large, good}, targets, {.verbose = 0}); }), "no error");
}

// Ids computed inside the model cannot be checked on the host: out of range they give NaN, as
// labels do.
TEST(EmbeddingIds, ThatAModelComputesGiveNaNOutsideTheTable) {
  const LayerRef layer = Embedding({.input_dim = rows, .output_dim = 2});
  const Array out = layer(Tensor(Array::from<int64_t>({9, 10, -1}, {3}))).array();
  EXPECT_TRUE(std::isfinite(out.at(0)) && std::isfinite(out.at(1)));
  for (int64_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(out.at(i))) << i;
}

TEST(Strings, AreRefusedWhereAModelTakesNumbers) {
  const Array words = string_ids({"1", "2", "3", "4", "5", "6"}, {3, 2});
  Sequential model({Input({.shape = {2}}), Dense({.units = 1})});
  expect_checked(model, test::random_array({3, 2}), words,
                 "takes float32, but the array of shape (3, 2) holds strings.");
  Sequential open({Flatten(), Dense({.units = 1})});
  open.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NE(message_of([&] { open.fit(words, targets, {.verbose = 0}); }), "no error");
}

TEST(Strings, AreRefusedAsIdsTargetsWeightsAndForAdapting) {
  const Array words = string_ids({"1", "2", "3"}, {3, 1});
  Sequential ids_model({Input({.shape = {1}, .dtype = DType::int64}),
                        Embedding({.input_dim = rows, .output_dim = 2}), Flatten(),
                        Dense({.units = 1})});
  EXPECT_SAYS(ids_model.predict(words), "takes int64, but the array of shape (3, 1) holds strings");
  Sequential model({Input({.shape = {2}}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array x = test::random_array({3, 2});
  EXPECT_SAYS(model.fit(x, words, {.verbose = 0}), "fit: targets must be numbers");
  EXPECT_SAYS(model.evaluate(x, targets, {.verbose = 0, .sample_weight = words}),
              "sample weights must be numbers");
  EXPECT_SAYS(adapt(Normalization(), words), "holds strings");
  EXPECT_SAYS(words.astype(DType::float32), "an array of strings, of shape (3, 1), cannot become");
}

TEST(Strings, AreTakenByLayersThatReadThem) {
  const Array words = string_ids({"a", "b", "a", "b", "b", "a"}, {3, 2});
  StringLookupArgs lookup;
  lookup.vocabulary = Config::List{"a", "b"};
  const Tensor input = Input({.shape = {2}, .dtype = DType::int64});
  const Tensor numbers =
      Embedding({.input_dim = rows, .output_dim = 2})(StringLookup(lookup)(input));
  Model model({.inputs = {input}, .outputs = {Flatten()(numbers)}});
  EXPECT_EQ(message_of([&] { model.predict(words.rows(0, 2)); }), "no error");
  Sequential hashed({Hashing({.num_bins = 4}), Embedding({.input_dim = 4, .output_dim = 2})});
  EXPECT_EQ(message_of([&] { hashed.predict(words); }), "no error");
}

}  // namespace
}  // namespace stoker
