#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "io/test_files.h"
#include "nn/model_impl.h"
#include "recipe/output_files.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/error.h"
#include "stoker/io.h"
#include "stoker/recipe.h"
#include "stoker/run_record.h"
#include "support/fake_clock.h"

// The record of a run that is killed, and disks that fail while it trains.
namespace stoker {
namespace {

namespace fs = std::filesystem;
using callbacks::LambdaCallback;

class RecordOnDisk : public ::testing::Test {
 protected:
  RecordOnDisk() {
    save_npy(folder / "x.npy", Array(DType::float32, {64, 4}));
    save_npy(folder / "y.npy", Array(DType::float32, {64, 1}));
    std::ofstream(path) << fmt::format(R"(device = "/cpu:0"
[model]
layers = [{{class_name = "Input", shape = [4]}}, {{class_name = "Dense", units = 1}}]
[compile]
loss = "mse"
[data.train]
x = "{0}"
y = "{1}"
[data.validation]
x = "{0}"
y = "{1}"
[fit]
batch_size = 8
epochs = 4
[output]
folder = "{2}"
)",
                                       folder / "x.npy", folder / "y.npy", out);
  }
  TrainingResult run(const Callbacks& callbacks, const std::vector<std::string>& changes = {},
                     const std::string& report = "") const {
    return train(Recipe(path, changes), {.verbose = 0, .callbacks = callbacks, .report = report});
  }
  // Until the record on disk is as wanted.
  template <class Wanted>
  static RunRecord wait_for(const std::string& file, Wanted wanted) {
    for (int i = 0; i < 2000; ++i) {
      if (fs::exists(file))
        if (RunRecord found = load_run(file); wanted(found)) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "no such record in " << file;
    return {};
  }
  template <class Ready>
  static void wait_until(Ready ready) {
    for (int i = 0; i < 2000 && !ready(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  static double seconds_of(const RunRecord& run, const std::string& cause) {
    for (const auto& part : run.account.parts)
      if (part.cause == cause) return part.seconds;
    return 0;
  }

  const TemporaryFolder folder;
  const std::string path = folder / "small.toml", out = folder / "out", record = out + "/run.json";
};

// Whatever runs for a long time without a step between.
TEST_F(RecordOnDisk, IsWrittenWhileNoStepEnds) {
  RunRecord found;
  const auto blocks = [&] {
    found = wait_for(record, [](const RunRecord& run) { return seconds_of(run, "callbacks") > 1; });
    throw std::runtime_error("dies");
  };
  const auto first_step =
      LambdaCallback({.on_train_batch_begin = [&](int64_t, const Logs&) { blocks(); }});
  EXPECT_THROW(run({first_step}), std::runtime_error);
  EXPECT_EQ(found.state, "running");
  EXPECT_EQ(found.account.steps, 0);
  EXPECT_GT(seconds_of(found, "callbacks"), 1);
  double sum = 0;
  for (const auto& part : found.account.parts) sum += part.seconds;
  EXPECT_NEAR(sum, found.account.wall, 1e-6);
  EXPECT_NE(found.account_line.find("callbacks"), std::string::npos) << found.account_line;
}

TEST_F(RecordOnDisk, OfAValidationSaysSo) {
  RunRecord found;
  const auto validates = LambdaCallback({.on_test_begin = [&](const Logs&) {
    found = wait_for(record, [](const RunRecord& run) { return run.account.steps == 8; });
    throw std::runtime_error("dies");
  }});
  EXPECT_THROW(run({validates}), std::runtime_error);
  EXPECT_EQ(found.state, "running");
  EXPECT_EQ(found.account.steps, 8);
}

TEST_F(RecordOnDisk, OfAnEarlierRunIsReplacedWhenTrainingBegins) {
  run({});
  EXPECT_EQ(load_run(record).state, "finished");
  EXPECT_EQ(load_run(record).account.steps, 32);
  RunRecord found;
  const auto looks = LambdaCallback({.on_epoch_begin = [&](int64_t, const Logs&) {
    found = load_run(record);
    throw std::runtime_error("dies");
  }});
  EXPECT_THROW(run({looks}), std::runtime_error);
  EXPECT_EQ(found.state, "running");
  EXPECT_EQ(found.account.steps, 0);
}

TEST_F(RecordOnDisk, OfARunThatFailsAtOnceIsNotThere) {
  const auto fails = LambdaCallback(
      {.on_epoch_begin = [](int64_t, const Logs&) { throw std::runtime_error("dies"); }});
  EXPECT_THROW(run({fails}), std::runtime_error);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(RecordOnDisk, WithAReportButNoFolderIsBesideThePage) {
  const stoker::testing::FakeClock clock;
  const auto dies = LambdaCallback({.on_train_batch_end = [](int64_t batch, const Logs&) {
    stoker::testing::FakeClock::pass(2'000'000'000);
    if (batch == 7) throw std::runtime_error("dies");
  }});
  EXPECT_THROW(run({dies}, {"output.folder="}, folder / "page.html"), std::runtime_error);
  const RunRecord found = load_run(folder / "page.json");
  EXPECT_EQ(found.state, "running");
  EXPECT_GE(found.account.steps, 6);
}

// Interim records have the statistics of the input, as the last one has.
TEST_F(RecordOnDisk, HasTheInputWhileItRuns) {
  std::ofstream csv(folder / "rows.csv");
  csv << "a,b,c,d,label\n";
  for (int i = 0; i < 64; ++i) csv << fmt::format("{},1,2,3,{}\n", i, i % 2);
  csv.close();
  int64_t taken = 0;
  struct Looks : Callback {
    explicit Looks(int64_t& to) : taken(to) {}
    void on_epoch_end(int64_t, Logs&) override { taken = model().record().input.taken; }
    int64_t& taken;
  };
  run({std::make_shared<Looks>(taken)},
      {fmt::format("data={{train = \"{}\"}}", folder / "rows.csv"), "fit.epochs=1"});
  EXPECT_EQ(taken, 8);
}

class FailingDisk : public RecordOnDisk {
 protected:
  // The folder is a file from then on, as if its disk could not be written to.
  void break_folder() const {
    fs::rename(out, out + ".gone");
    std::ofstream(out) << "";
  }
  void mend_folder() const {
    fs::remove(out);
    fs::rename(out + ".gone", out);
  }
  auto at_epoch(int64_t wanted, const std::function<void()>& act) const {
    return LambdaCallback({.on_epoch_begin = [=](int64_t epoch, const Logs&) {
      if (epoch == wanted) act();
    }});
  }
  static size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
};

TEST_F(FailingDisk, LosesNothingThatIsSavedElsewhere) {
  const std::string saved = folder / "saved.safetensors", history = folder / "history.json";
  int64_t epochs = 0;
  const auto counts = LambdaCallback({.on_epoch_end = [&](int64_t, Logs&) { ++epochs; }});
  ::testing::internal::CaptureStderr();
  const TrainingResult result =
      run({at_epoch(1, [this] { break_folder(); }), counts},
          {"output.save=" + saved, "output.history=" + history}, folder / "page.html");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(epochs, 4);
  EXPECT_EQ(load_safetensors(saved).tensors.size(), 2u);
  EXPECT_TRUE(fs::exists(history));
  EXPECT_EQ(load_run(folder / "page.json").account.steps, 32);
  EXPECT_NE(result.unsaved.find("last.safetensors\": Not a directory"), std::string::npos)
      << result.unsaved;
  EXPECT_EQ(count_of(said, "Training continues"), 1u) << said;
}

TEST_F(FailingDisk, ThatWorksAgainIsNoFailure) {
  // The first epoch stays the best one: its weights are on disk before that fails.
  const auto breaks = at_epoch(1, [this] {
    wait_until([this] { return fs::exists(out + "/recipe.toml"); });
    break_folder();
  });
  ::testing::internal::CaptureStderr();
  const TrainingResult result =
      run({breaks, at_epoch(3, [this] { mend_folder(); })},
          {"compile.optimizer={class_name = \"SGD\", learning_rate = 0.0}", "fit.shuffle=false"});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(result.files.size(), 6u);
  EXPECT_EQ(result.unsaved, "");
  EXPECT_EQ(load_run(record).account.steps, 32);
  EXPECT_LE(count_of(said, "Training continues"), 1u) << said;
}

TEST(OutputFiles, ReportTheFirstFailureAndForgetWhatWasWrittenLater) {
  nn::OutputFiles files;
  const auto fails = [] { throw IoError("cannot write.", "free some space."); };
  ::testing::internal::CaptureStderr();
  files.write("out/a", fails);
  files.write("out/a", fails);
  files.write("out/b", fails);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "train: cannot write. Training continues, and later writes are tried. Hint: free some "
            "space.\n");
  EXPECT_EQ(files.why_failed("out/a"), IoError("cannot write.", "free some space.").what());
  files.add("out/a");
  EXPECT_EQ(files.why_failed("out/a"), "");
  EXPECT_NE(files.why_failed("out/b"), "");
  EXPECT_EQ(files.names(), std::vector<std::string>{"a"});
  EXPECT_THROW(files.write("out/c", [] { throw std::runtime_error("other"); }), std::runtime_error);
}

}  // namespace
}  // namespace stoker
