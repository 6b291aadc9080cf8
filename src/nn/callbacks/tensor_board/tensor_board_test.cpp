#include "stoker/callbacks/tensor_board.h"

#include <filesystem>

#include "io/blob.h"
#include "io/records/test_inputs.h"
#include "nn/callbacks/tensor_board/xspace.h"
#include "nn/test_models.h"
#include "stoker/device.h"

namespace stoker {
namespace {

using namespace test;

// How many records of the folder's only event file contain the text.
int64_t count(const std::string& folder, const std::string& text) {
  int64_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    for (const auto& record : all_of(TFRecordReader(file.path().string())))
      found += record.find(text) != std::string::npos;
  return found;
}

struct Written {
  TemporaryFolder folder;
  explicit Written(callbacks::TensorBoardArgs args) {
    const auto data = samples(40);
    args.log_dir = folder.path();
    classifier().fit(data.x, data.y,
                     {.batch_size = 8,
                      .epochs = 3,
                      .verbose = 0,
                      .callbacks = {callbacks::TensorBoard(args)},
                      .validation_data = ValidationData{data.x, data.y}});
  }
  int64_t train(const std::string& tag) const { return count(folder / "train", tag); }
  int64_t validation(const std::string& tag) const { return count(folder / "validation", tag); }
};

TEST(TensorBoard, WritesCurvesOfEpochs) {
  const Written logs({});
  for (const char* tag : {"epoch_loss", "epoch_accuracy", "epoch_learning_rate"})
    EXPECT_EQ(logs.train(tag), 3) << tag;
  for (const char* tag : {"epoch_loss", "evaluation_loss_vs_iterations"})
    EXPECT_EQ(logs.validation(tag), 3) << tag;
  EXPECT_EQ(logs.train("batch_loss"), 0);
  EXPECT_EQ(logs.train("epoch_val_"), 0);
  EXPECT_EQ(logs.validation("learning_rate"), 0);
}

TEST(TensorBoard, WritesEachSoManyBatchesWhenAsked) {
  const Written logs({.write_steps_per_second = true, .update_freq = 4});
  EXPECT_EQ(logs.train("batch_loss"), 3);  // of 15
  EXPECT_EQ(logs.train("batch_steps_per_second"), 3);
  EXPECT_EQ(logs.train("epoch_steps_per_second"), 3);
  EXPECT_EQ(Written({.update_freq = "batch"}).train("batch_accuracy"), 15);
}

TEST(TensorBoard, WritesHistogramsOfTheWeightsEachSoManyEpochs) {
  EXPECT_EQ(Written({.histogram_freq = 1}).train("kernel/histogram"), 6);  // two in each of three
  EXPECT_EQ(Written({.histogram_freq = 2}).train("bias/histogram"), 4);    // epochs 0 and 2
  EXPECT_EQ(Written({}).train("/histogram"), 0);
}

TEST(TensorBoard, WritesTheGraphOnceUnlessToldNotTo) {
  const Written logs({});
  EXPECT_EQ(logs.train("graph_keras_model"), 1);
  EXPECT_EQ(logs.train("_output_shapes"), 1);
  EXPECT_EQ(logs.validation("_output_shapes"), 0);
  const Written none({.write_graph = false});
  EXPECT_EQ(none.train("graph_keras_model") + none.train("_output_shapes"), 0);
}

// The only file below the folder of profiles; "" if there is none.
std::string profile_in(const std::string& folder) {
  std::string found;
  if (!std::filesystem::exists(folder + "/plugins/profile")) return found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().string().ends_with(".xplane.pb")) {
      EXPECT_EQ(found, "");
      found = read_file(file.path().string()).text();
    }
  return found;
}

int64_t times(const std::string& text, const std::string& part) {
  int64_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
  return found;
}

TEST(TensorBoard, WritesAProfileOfTheStepsThatAreAskedFor) {
  const Device cpu("/cpu:0");
  const std::string two = profile_in(Written({.profile_batch = Config::List{2, 3}}).folder.path());
  for (const char* part : {"/host:CPU", "training", "train", "step_num", "calls"})
    EXPECT_GT(times(two, part), 0) << part;
  EXPECT_EQ(times(two, "dense:grad"), 0);
  EXPECT_EQ(profile_in(Written({}).folder.path()), "");
  EXPECT_GT(two.size(), profile_in(Written({.profile_batch = 2}).folder.path()).size());
}

nn::ProfiledSteps two_steps() {
  nn::ProfiledSteps profile{.begin = 1000, .end = 9000};
  for (int64_t step = 0; step < 2; ++step) {
    const ledger::Time at = 1000 + step * 4000;
    profile.steps.push_back({step + 1, at});
    profile.calls.push_back({"dense/matmul", 0, at + 10, at + 1010});
    profile.calls.push_back({"dense:grad/batch_norm", 1, at + 1100, at + 1200});
    profile.host.push_back({at, at + 2000, ledger::Activity::step});
  }
  return profile;
}

TEST(XSpace, CallsOfAGpuAreAPlaneAndBelongToTheirSteps) {
  const std::string space = nn::xspace(two_steps(), "/gpu:1", "here");
  EXPECT_EQ(times(space, "/device:GPU:1"), 1);
  EXPECT_EQ(times(space, "dense/matmul:Matmul"), 2);  // of each call
  EXPECT_EQ(times(space, "dense/grad/batch_norm:BatchNorm"), 2);
  EXPECT_EQ(times(space, "correlation_id"), 2);  // a name of both planes
  const std::string on_host = nn::xspace(two_steps(), "/cpu:0", "here");
  EXPECT_EQ(times(on_host, "/device:"), 0);
  EXPECT_EQ(times(on_host, "dense/matmul:Matmul"), 1);  // the name of both
}

TEST(TensorBoard, WhatIsNotWrittenIsRefused) {
  EXPECT_THROW(callbacks::TensorBoard({.histogram_freq = 1, .write_images = true}), Unsupported);
  EXPECT_THROW(callbacks::TensorBoard({.profile_batch = "all"}), InvalidArgument);
  EXPECT_THROW(callbacks::TensorBoard({.profile_batch = Config::List{5, 2}}), InvalidArgument);
  EXPECT_THROW(callbacks::TensorBoard({.embeddings_freq = 1}), Unsupported);
  EXPECT_THROW(callbacks::TensorBoard({.update_freq = "step"}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
