#include <unistd.h>

#include <array>
#include <cstdio>

#include "nn/test_models.h"
#include "stoker/device.h"
#include "stoker/layers.h"
#include "stoker/numerics.h"

// The same seed gives the same bits: initial weights, order of samples, dropout masks, sums.
namespace stoker {
namespace {

using namespace test;

// Large enough for several threads to share the sums of products and weight gradients.
std::vector<Array> train(uint64_t seed) {
  set_random_seed(seed);
  Sequential model({Input({.shape = {10, 10, 1}}),
                    layers::Conv2D({.filters = 8, .kernel_size = {3, 3}, .activation = "relu"}),
                    layers::BatchNormalization(), layers::Flatten(), layers::Dropout({.rate = 0.3}),
                    layers::Dense({.units = 64, .activation = "relu"}),
                    layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = {"sparse_categorical_crossentropy"}});
  model.fit(random_array({130, 10, 10, 1}), samples(130).y,
            {.batch_size = 32, .epochs = 2, .verbose = 0});
  return model.get_weights();
}

std::string fingerprint(const std::vector<Array>& weights) {
  uint64_t hash = 14695981039346656037u;
  for (const Array& weight : weights)
    for (size_t i = 0; i < weight.bytes(); ++i)
      hash = (hash ^ static_cast<uint64_t>(weight.raw()[i])) * 1099511628211u;
  return std::to_string(hash);
}

TEST(Determinism, TwoRunsFromOneSeedAreBitEqual) {
  enable_op_determinism();
  const std::string first = fingerprint(train(7));
  EXPECT_EQ(fingerprint(train(7)), first);
  EXPECT_NE(fingerprint(train(8)), first);
  enable_op_determinism(false);
}

TEST(Determinism, OnTheCpuTheyAreWithoutAsking) {
  const Device cpu("/cpu:0");
  EXPECT_EQ(fingerprint(train(7)), fingerprint(train(7)));
}

// Started by the test below with other numbers of threads.
TEST(Determinism, DISABLED_PrintFingerprint) {
  enable_op_determinism();
  std::printf("fingerprint %s\n", fingerprint(train(7)).c_str());
  enable_op_determinism(false);
}

std::string fingerprint_with(int threads) {
  std::array<char, 4096> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return "no program";
  const std::string command =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX STOKER_NUM_THREADS=" +
      std::to_string(threads) + " '" + self.data() +
      "' --gtest_also_run_disabled_tests --gtest_filter=Determinism.DISABLED_PrintFingerprint";
  FILE* pipe = popen(command.c_str(), "r");
  std::string found = "nothing printed";
  for (std::array<char, 256> line{}; pipe && fgets(line.data(), line.size(), pipe);)
    if (const std::string text = line.data(); text.starts_with("fingerprint ")) found = text;
  if (pipe) pclose(pipe);
  return found;
}

TEST(Determinism, WithTheSwitchTheNumberOfThreadsDoesNotMatter) {
  const std::string one = fingerprint_with(1);
  ASSERT_TRUE(one.starts_with("fingerprint ")) << one;
  for (int threads : {2, 3, 5}) EXPECT_EQ(fingerprint_with(threads), one) << threads;
}

}  // namespace
}  // namespace stoker
