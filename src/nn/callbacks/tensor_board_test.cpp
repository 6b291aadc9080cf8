#include "stoker/callbacks/tensor_board.h"

#include <filesystem>

#include "io/records/test_inputs.h"
#include "nn/test_models.h"

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

TEST(TensorBoard, WhatIsNotWrittenIsRefused) {
  EXPECT_THROW(callbacks::TensorBoard({.histogram_freq = 1, .write_images = true}), Unsupported);
  EXPECT_THROW(callbacks::TensorBoard({.profile_batch = 2}), Unsupported);
  EXPECT_THROW(callbacks::TensorBoard({.embeddings_freq = 1}), Unsupported);
  EXPECT_THROW(callbacks::TensorBoard({.update_freq = "step"}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
