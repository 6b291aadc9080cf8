#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "device/node_testing.h"
#include "kernel.h"
#include "on_device.h"

// Recurrences in TF32, which the op cases leave out: all steps in one launch against one a step.
namespace stoker::cuda {
namespace {

using Values = std::vector<float>;
constexpr int64_t time = 5, batch = 11, units = 20;

Values random_floats(const TensorType& type, unsigned int seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> some(-0.4f, 0.4f);
  Values values(static_cast<size_t>(type.shape.size()));
  for (float& value : values) value = some(random);
  return values;
}

std::vector<Values> run(Kernel& kernel, const TestedNode& node) {
  std::vector<std::unique_ptr<OnDevice<float>>> memory;
  std::vector<void*> arguments;
  const auto add = [&](const Values& values) {
    arguments.push_back(memory.emplace_back(new OnDevice<float>(values))->at());
  };
  unsigned int seed = 1;
  for (const TensorType& type : node.in()) add(random_floats(type, ++seed));
  for (const TensorType& type : node.out())
    add(Values(static_cast<size_t>(type.shape.size()), NAN));
  const OnDevice<float> workspace(Values(kernel.workspace / sizeof(float) + 1, NAN));
  Encoder encoder(gpu(0));
  kernel.encode(encoder, arguments.data(), workspace.at());
  std::vector<Values> outputs;
  for (size_t i = node.in().size(); i < memory.size(); ++i) outputs.push_back(memory[i]->values());
  return outputs;
}

void expect_agreement(const TestedNode& node) {
  const GpuScope scope(gpu(0));
  const auto kernels = node.describe_to([](const StokerNode& n) { return plan_all(NodeView(n)); });
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_STREQ(kernels[0]->implementation, "persistent");
  const auto actual = run(*kernels[0], node), expected = run(*kernels[1], node);
  for (size_t i = 0; i < actual.size(); ++i)
    for (size_t e = 0; e < actual[i].size(); ++e)
      ASSERT_NEAR(actual[i][e], expected[i][e], 2e-3) << "output " << i << ", element " << e;
}

TensorType steps(int64_t gates) { return {DType::float32, {time, batch, gates * units}}; }
TensorType kernel(int64_t gates) { return {DType::float32, {units, gates * units}}; }
const TensorType state{DType::float32, {batch, units}};

TestedNode with_gradients(TestedNode node, bool of_c) {
  node.add("of_sequence", int64_t{1});
  node.add("of_h", int64_t{1});
  node.add("of_c", int64_t{of_c});
  node.add("activation", std::string("tanh"));
  return node;
}

TEST(PersistentRnn, AgreesWithItsSteps) {
  expect_agreement(
      {"lstm", {steps(4), kernel(4), state, state}, {steps(1), state, state, steps(1), steps(4)}});
  expect_agreement({"gru",
                    {steps(3), kernel(3), state, {DType::float32, {3 * units}}},
                    {steps(1), state, steps(4)}});
  TestedNode simple("simple_rnn", {steps(1), kernel(1), state}, {steps(1), state});
  simple.add("activation", std::string("tanh"));
  expect_agreement(simple);
}

TEST(PersistentRnn, AgreesWithItsStepsBackwards) {
  expect_agreement(with_gradients(
      {"lstm_grad",
       {steps(4), kernel(4), steps(1), state, steps(1), state, steps(1), state, state},
       {steps(4), state, state}},
      true));
  expect_agreement(with_gradients({"gru_grad",
                                   {steps(4), kernel(3), steps(1), state, steps(1), state},
                                   {steps(3), state, steps(3)}},
                                  false));
  expect_agreement(with_gradients(
      {"simple_rnn_grad", {kernel(1), steps(1), state, steps(1), state}, {steps(1), state}},
      false));
}

}  // namespace
}  // namespace stoker::cuda
