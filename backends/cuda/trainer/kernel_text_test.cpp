#include "trainer/kernel_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler.h"
#include "ops/node_testing.h"
#include "test_places.h"

namespace stoker::cuda::trainer {
namespace {

StackSpec classifier(int64_t batch, int64_t inputs, const std::vector<int64_t>& units) {
  StackSpec spec;
  spec.batch = batch;
  spec.inputs = inputs;
  spec.loss = "sparse_categorical_crossentropy";
  spec.loss_scale = 1.0 / static_cast<double>(batch);
  for (int64_t n : units) spec.layers.push_back({.units = n, .activation = "relu"});
  spec.layers.back().activation = "linear";
  return spec;
}

template <class F>
StackSpec changed(StackSpec spec, F change) {
  change(spec);
  return spec;
}

std::vector<StackSpec> stacks() {
  const StackSpec base = classifier(32, 784, {128, 10});
  return {base,
          classifier(1, 784, {128, 10}),
          classifier(128, 784, {128, 10}),
          classifier(33, 13, {7}),
          classifier(100, 257, {64, 50, 100, 3}),
          classifier(32, 784, {256, 10}),
          changed(base, [](auto& s) { s.cluster = 8; }),
          changed(base,
                  [](auto& s) {
                    s.input_type = s.label_type = "uint8";
                    s.input_scale = 0.1;
                  }),
          changed(base,
                  [](auto& s) {
                    s.layers[0].dropout = 0.25;
                    s.layers[0].use_bias = false;
                  }),
          changed(base,
                  [](auto& s) {
                    s.optimizer = "sgd";
                    s.gathered = false;
                  }),
          changed(base,
                  [](auto& s) {
                    s.optimizer = "sgd";
                    s.momentum = 0.9;
                    s.nesterov = true;
                  }),
          changed(base,
                  [](auto& s) {
                    s.loss = "binary_crossentropy";
                    s.label_type = "float32";
                  }),
          changed(base,
                  [](auto& s) {
                    s.loss = "categorical_crossentropy";
                    s.label_type = "float32";
                  }),
          changed(base, [](auto& s) {
            s.loss = "mean_squared_error";
            s.label_type = "float32";
            s.accuracy_metric = false;
            s.layers[0].activation = "sigmoid";
            s.layers[1].activation = "tanh";
          })};
}

TEST(DenseStackText, CompilesForHopper) {
  setenv("STOKER_CACHE_DIR", STOKER_BINARY_DIR "/test_cache", 1);
  const Gpu hopper = planned_gpu(90);
  for (const StackSpec& spec : stacks()) {
    std::string refusal;
    const auto layout = lay_out(spec, refusal);
    ASSERT_TRUE(layout) << refusal;
    try {
      EXPECT_FALSE(compile_text(kernel_text(spec, *layout), hopper).empty());
    } catch (const CudaError& error) {
      if (std::string(error.what()).find("does not compile") == std::string::npos)
        GTEST_SKIP() << "no NVRTC here: " << error.what();
      FAIL() << error.what();
    }
  }
}

TEST(DenseStackLayout, KeepsToWhatABlockHas) {
  for (const StackSpec& spec : stacks()) {
    std::string refusal;
    const auto at = lay_out(spec, refusal);
    ASSERT_TRUE(at) << refusal;
    EXPECT_LE(at->shared_bytes, spec.bytes_of_block);
    EXPECT_EQ(at->k_splits * at->n_splits, spec.cluster);
    EXPECT_GE(at->k_rows * at->k_splits, spec.inputs);
    EXPECT_GE(at->units * at->n_splits, spec.layers[0].units);
    EXPECT_GE(at->sub_batch * at->sub_batches, spec.batch);
    EXPECT_GE(at->own * at->owners, at->sub_batch);
    EXPECT_LE(at->owners, spec.cluster);
    for (const auto& [name, offset] : at->offsets) EXPECT_EQ(offset % 16, 0) << name;
  }
}

TEST(DenseStackLayout, SaysWhyNot) {
  const auto why = [](const StackSpec& spec) {
    std::string refusal;
    EXPECT_FALSE(lay_out(spec, refusal));
    return refusal;
  };
  const StackSpec base = classifier(32, 784, {128, 10});
  EXPECT_EQ(why(changed(base, [](auto& s) { s.layers[0].activation = "gelu"; })),
            "activation gelu");
  EXPECT_EQ(why(changed(base, [](auto& s) { s.loss = "huber"; })), "loss huber");
  EXPECT_EQ(why(changed(base, [](auto& s) { s.optimizer = "adagrad"; })), "optimizer adagrad");
  const std::string large = why(classifier(32, 784, {1024, 1024, 1024, 10}));
  EXPECT_EQ(why(classifier(1024, 784, {128, 10})),
            "a batch of 1024 would be processed in micro-batches of 64, which is slower than "
            "separate kernels");
  EXPECT_EQ(large.find("its 2913290 weights, spread over 16 blocks, need "), 0u) << large;
}

}  // namespace
}  // namespace stoker::cuda::trainer
