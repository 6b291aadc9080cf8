#include "run_node.h"

// Recurrences: one launch for all steps, compared with one launch per step.
namespace stoker::cuda {
namespace {

constexpr int64_t time = 5, batch = 11, units = 20;

void expect_same(const TestedNode& node) {
  expect_agreement(node, "persistent", random_inputs(node), 2e-3f);
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
  expect_same(
      {"lstm", {steps(4), kernel(4), state, state}, {steps(1), state, state, steps(1), steps(4)}});
  expect_same({"gru",
               {steps(3), kernel(3), state, {DType::float32, {3 * units}}},
               {steps(1), state, steps(4)}});
  TestedNode simple("simple_rnn", {steps(1), kernel(1), state}, {steps(1), state});
  simple.add("activation", std::string("tanh"));
  expect_same(simple);
}

TEST(PersistentRnn, AgreesWithItsStepsBackwards) {
  expect_same(with_gradients(
      {"lstm_grad",
       {steps(4), kernel(4), steps(1), state, steps(1), state, steps(1), state, state},
       {steps(4), state, state}},
      true));
  expect_same(with_gradients({"gru_grad",
                              {steps(4), kernel(3), steps(1), state, steps(1), state},
                              {steps(3), state, steps(3)}},
                             false));
  expect_same(with_gradients(
      {"simple_rnn_grad", {kernel(1), steps(1), state, steps(1), state}, {steps(1), state}},
      false));
}

}  // namespace
}  // namespace stoker::cuda
