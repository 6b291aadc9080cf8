#include "stoker/recipe.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "recipe/parts.h"
#include "recipe/source.h"
#include "stoker/io.h"

namespace stoker {
namespace {

class RecipeTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::string path_ = ::testing::TempDir() + "recipe_test_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* small = R"([model]
name = "small"
layers = [
  {class_name = "Input", shape = [4]},
  {class_name = "Dense", units = 2, kernel_regularizer = {class_name = "L2", l2 = 0.5}},
]
[compile]
loss = "mse"
)";

TEST_F(RecipeTest, MakesTheModel) {
  const auto model = Recipe(write(small)).make_model();
  EXPECT_EQ(model->name(), "small");
  EXPECT_EQ(model->count_params(), 4 * 2 + 2);
  EXPECT_TRUE(model->compiled());
}

TEST_F(RecipeTest, OverridesReachListsAndNewTables) {
  const Recipe recipe(write(small),
                      {"model.layers.1.units=7", "fit.epochs=3", "output.folder=a b"});
  EXPECT_EQ(recipe.make_model()->count_params(), 4 * 7 + 7);
  EXPECT_EQ(recipe.make_fit_args().epochs, 3);
  EXPECT_EQ(recipe.output_folder(), "a b");
}

TEST_F(RecipeTest, WhatIsWrittenReadsBackTheSame) {
  const Recipe recipe(write(small),
                      {"fit.class_weight={0=1.5, 1=2}", "output.folder=\"q\\\"\\u0007\""});
  EXPECT_EQ(parse_toml(recipe.to_toml()), recipe.config());
}

TEST_F(RecipeTest, ErrorsNameTheLine) {
  const std::string path = write(small);
  EXPECT_NE(
      error_of([&] { Recipe(path, {"compile.los=1"}).make_model(); }).find("--set compile.los=1"),
      std::string::npos);
  write(std::string(small) + "[fit]\nepochs = 1\nbatchsize = 2\n");
  const std::string error = error_of([&] { Recipe(path).make_fit_args(); });
  EXPECT_NE(error.find("recipe_test_ErrorsNameTheLine.toml:11"), std::string::npos) << error;
  EXPECT_NE(error.find("did you mean \"batch_size\"?"), std::string::npos) << error;
}

TEST_F(RecipeTest, NumbersOutOfRangeAreRefused) {
  const std::string path = write(small);
  for (const char* key : {"epochs", "initial_epoch", "steps_per_epoch", "validation_steps",
                          "validation_batch_size"}) {
    const std::string set = fmt::format("fit.{}=-3", key);
    const std::string error = error_of([&] { Recipe(path, {set}).make_fit_args(); });
    EXPECT_NE(error.find(fmt::format("fit: {} must not be negative, got -3", key)),
              std::string::npos)
        << error;
    EXPECT_NE(error.find(set), std::string::npos) << error;
  }
}

TEST_F(RecipeTest, SharedLayersCountOnce) {
  const auto model = Recipe(write(R"([model]
layers = [
  {class_name = "Input", shape = [4], name = "a"},
  {class_name = "Input", shape = [4], name = "b"},
  {class_name = "Dense", units = 3, name = "shared", inputs = "a"},
  {layer = "shared", inputs = "b", name = "again"},
  {class_name = "Add", inputs = ["shared", "again"]},
]
)"))
                         .make_model();
  EXPECT_EQ(model->count_params(), 4 * 3 + 3);
  const Array a = Array::from(std::vector<float>{1, 2, 3, 4}, {1, 4});
  const Array b = Array::from(std::vector<float>{4, 3, 2, 1}, {1, 4});
  const Array one = model->predict({a, b}), other = model->predict({b, a});
  for (int64_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(one.at(i), other.at(i));
}

TEST(Recipes, OfTheExamplesAreSound) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples/recipes")) {
    const Recipe recipe(entry.path().string());
    EXPECT_TRUE(recipe.make_model()->compiled()) << entry.path();
    EXPECT_GT(recipe.make_fit_args().epochs, 0) << entry.path();
    ++found;
  }
  EXPECT_GE(found, 6);
}

TEST_F(RecipeTest, ADtypePolicyHoldsForItsModelAlone) {
  const Recipe recipe(write(std::string("dtype_policy = \"mixed_bfloat16\"\n") + small));
  EXPECT_EQ(recipe.make_model()->layers().at(0)->compute_dtype(), DType::bfloat16);
  EXPECT_EQ(dtype_policy().name(), "float32");
  const std::string error =
      error_of([&] { Recipe(write(std::string("dtype_policy = \"mixed\"\n") + small)); });
  EXPECT_NE(error.find("mixed_float16"), std::string::npos) << error;
  EXPECT_NE(error.find(":1"), std::string::npos) << error;
}

TEST_F(RecipeTest, NormalizationLearnsFromWhatItGets) {
  const auto model = Recipe(write(R"([model]
layers = [
  {class_name = "Input", shape = [1]},
  {class_name = "Rescaling", scale = 2.0},
  {class_name = "Normalization"},
  {class_name = "Normalization", mean = [5.0], variance = [4.0]},
]
)"))
                         .make_model();
  const Array x = Array::from(std::vector<float>{1, 3, 100, 100}, {4, 1});
  nn::adapt_layers(*model, {x, {}}, 0.5);
  const auto weights = model->get_weights();
  EXPECT_EQ(weights.at(0).at(0), 4);  // of 2 and 6; the other half is for validation
  EXPECT_EQ(weights.at(1).at(0), 4);
  nn::adapt_layers(*model, {Array::from(std::vector<float>{7, 8}, {2, 1}), {}}, 0);
  EXPECT_EQ(model->get_weights().at(0).at(0), 4) << "it had learnt already";
}

TEST_F(RecipeTest, NormalizationLearnsFromADataset) {
  const auto model = Recipe(write(R"([model]
layers = [
  {class_name = "Input", shape = [1]},
  {class_name = "Rescaling", scale = 2.0},
  {class_name = "Normalization"},
  {class_name = "Normalization", mean = [5.0], variance = [4.0]},
]
)"))
                         .make_model();
  const Array x = Array::from(std::vector<float>{1, 3, 1, 3, 2}, {5, 1});
  nn::adapt_layers(*model, Dataset::from_tensor_slices({x, x}).batch(2), 0);
  const auto weights = model->get_weights();
  EXPECT_EQ(weights.at(0).at(0), 4);  // of 2, 6, 2, 6 and 4
  EXPECT_FLOAT_EQ(static_cast<float>(weights.at(1).at(0)), 3.2f);
}

}  // namespace
}  // namespace stoker
