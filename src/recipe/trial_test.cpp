#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/test_files.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/io.h"
#include "stoker/recipe.h"
#include "stoker/run_record.h"
#include "support/fake_clock.h"

// A recipe's headroom, the changes tried, and the account in a run folder.
namespace stoker {
namespace {

namespace fs = std::filesystem;

class RecipeTrial : public ::testing::Test {
 protected:
  RecipeTrial() {
    save_npy(folder / "x.npy", Array(DType::float32, {64, 4}));
    save_npy(folder / "y.npy", Array(DType::float32, {64, 1}));
    std::ofstream(path) << fmt::format(R"(device = "/cpu:0"
[model]
layers = [{{class_name = "Input", shape = [4]}}, {{class_name = "Dense", units = 1}}]
[compile]
loss = "mse"
[data.train]
x = "{}"
y = "{}"
[fit]
batch_size = 8
[output]
folder = "{}"
)",
                                       folder / "x.npy", folder / "y.npy", folder / "out");
  }
  const TemporaryFolder folder;
  const std::string path = folder / "small.toml";
};

TEST_F(RecipeTrial, TrainsAFewStepsAndLeavesNothingBehind) {
  const Account account = try_training(Recipe(path), 0.01);
  EXPECT_EQ(account.batch_size, 8);
  EXPECT_GE(account.steps, 3);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(RecipeTrial, HeadroomHasTheBatchAsItIsAndLargerOnes) {
  const RecipeHeadroom found =
      measure_headroom(Recipe(path), {.most = 32, .seconds_per_trial = 0.005});
  ASSERT_EQ(found.headroom.sizes.size(), 2u);
  EXPECT_EQ(found.headroom.sizes[0].batch, 8);
  EXPECT_EQ(found.headroom.sizes[1].batch, 32);
  EXPECT_GT(found.headroom.largest_batch, 32);
  EXPECT_NE(found.to_string().find("HEADROOM"), std::string::npos);
}

// With a stopped clock nothing can be faster.
TEST_F(RecipeTrial, AChangeThatWinsNothingIsNotKept) {
  const stoker::testing::FakeClock clock;
  std::vector<RecipeChange> changes;
  const auto tried = apply_advice(path, changes);
  ASSERT_EQ(tried.size(), 2u);  // the next size could have won
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(tried[i].change.key, "fit.batch_size");
    EXPECT_EQ(tried[i].change.value.as_int(), 16 << i);
    EXPECT_FALSE(tried[i].kept);
  }
  EXPECT_TRUE(changes.empty());
}

// Two seconds pass between two steps. The folder of a killed run has the account up to then; at the
// end of a run its record has it.
TEST_F(RecipeTrial, TheRunFolderHasTheAccountOfTheLastSecond) {
  const stoker::testing::FakeClock clock;
  bool dies = true;
  int64_t batches = 0;
  const auto seconds_pass =
      callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, const Logs&) {
        stoker::testing::FakeClock::pass(2'000'000'000);
        if (++batches == 16 && dies) throw std::runtime_error("dies");
      }});
  const auto run = [&] {
    return train(Recipe(path, {"fit.epochs=2"}), {.verbose = 0, .callbacks = {seconds_pass}});
  };
  EXPECT_THROW(run(), std::runtime_error);
  const RunRecord killed = load_run(folder / "out/run.json");
  EXPECT_EQ(killed.state, "running");
  EXPECT_EQ(killed.account.run, "fit");
  EXPECT_GE(killed.account.steps, 14);
  EXPECT_EQ(killed.account.advice.at(0).place, "fit.callbacks");
  dies = false;
  EXPECT_EQ(run().account_data.steps, 16);
  const RunRecord whole = load_run(folder / "out/run.json");
  EXPECT_EQ(whole.state, "finished");
  EXPECT_EQ(whole.account.steps, 16);
}

}  // namespace
}  // namespace stoker
