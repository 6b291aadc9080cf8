#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "device/node_testing.h"
#include "kernel.h"
#include "on_device.h"

// TF32 kernels, which the op cases omit, compared with the reference for the same node.
namespace stoker::cuda {

using Values = std::vector<float>;

inline Values random_floats(const TensorType& type, unsigned int seed, float from = -0.4f) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> some(from, 0.4f);
  Values values(static_cast<size_t>(type.shape.size()));
  for (float& value : values) value = some(random);
  return values;
}

inline std::vector<Values> random_inputs(const TestedNode& node) {
  std::vector<Values> inputs;
  unsigned int seed = 1;
  for (const TensorType& type : node.in()) inputs.push_back(random_floats(type, ++seed));
  return inputs;
}

inline std::vector<Values> run(Kernel& kernel, const TestedNode& node,
                               const std::vector<Values>& inputs) {
  std::vector<std::unique_ptr<OnDevice<float>>> memory;
  std::vector<void*> arguments;
  const auto add = [&](const Values& values) {
    arguments.push_back(memory.emplace_back(new OnDevice<float>(values))->at());
  };
  for (const Values& values : inputs) add(values);
  for (const TensorType& type : node.out())
    add(Values(static_cast<size_t>(type.shape.size()), NAN));
  const OnDevice<float> workspace(Values(kernel.workspace / sizeof(float) + 1, NAN));
  Encoder encoder(gpu(0));
  kernel.encode(encoder, arguments.data(), workspace.at());
  std::vector<Values> outputs;
  for (size_t i = inputs.size(); i < memory.size(); ++i) outputs.push_back(memory[i]->values());
  return outputs;
}

inline void expect_agreement(const TestedNode& node, const char* implementation,
                             const std::vector<Values>& inputs, float tolerance) {
  const GpuScope scope(gpu(0));
  const auto kernels =
      node.describe_to([](const StokerNode& described) { return plan_all(NodeView(described)); });
  ASSERT_EQ(kernels.size(), 2u) << node.op();
  ASSERT_STREQ(kernels[0]->implementation, implementation) << node.op();
  const auto actual = run(*kernels[0], node, inputs), expected = run(*kernels[1], node, inputs);
  for (size_t i = 0; i < actual.size(); ++i)
    for (size_t e = 0; e < actual[i].size(); ++e)
      ASSERT_NEAR(actual[i][e], expected[i][e], tolerance)
          << node.op() << ", output " << i << ", element " << e;
}

}  // namespace stoker::cuda
