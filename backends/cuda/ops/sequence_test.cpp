#include "ops/node_testing.h"

// Recurrences and attention, for NVRTC.
namespace stoker::cuda {
namespace {

[[maybe_unused]] const bool recurrences = [] {
  for (DType dtype : {DType::float32, DType::float64}) {
    const TensorType steps{dtype, {3, 2, 20}}, state{dtype, {2, 20}}, mask{DType::boolean, {3, 2}};
    const TensorType gates{dtype, {3, 2, 80}}, kernel{dtype, {20, 80}}, narrow{dtype, {20, 20}};
    AddCompileCase(
        "lstm", {"lstm", {gates, kernel, state, state, mask}, {steps, state, state, steps, gates}},
        "masked", int64_t{1});
    AddCompileCase("lstm_grad",
                   {"lstm_grad",
                    {gates, kernel, steps, state, steps, state, steps, state, state},
                    {gates, state, state}},
                   "of_sequence", int64_t{1}, "of_h", int64_t{1}, "of_c", int64_t{1});
    const TensorType three{dtype, {3, 2, 60}}, kernel3{dtype, {20, 60}}, bias{dtype, {60}};
    AddCompileCase("gru", {"gru", {three, kernel3, state, bias}, {steps, state, gates}});
    AddCompileCase("gru_grad",
                   {"gru_grad", {gates, kernel3, steps, state, steps}, {three, state, three}},
                   "of_sequence", int64_t{1});
    AddCompileCase("simple_rnn", {"simple_rnn", {steps, narrow, state}, {steps, state}},
                   "activation", std::string("relu"));
    AddCompileCase("simple_rnn_grad",
                   {"simple_rnn_grad", {narrow, steps, state, mask, state}, {steps, state}},
                   "masked", int64_t{1}, "of_h", int64_t{1});
  }
  return true;
}();

[[maybe_unused]] const bool attentions = [] {
  for (DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (int64_t size : {40, 64, 128}) {
      const TensorType q{dtype, {6, 70, size}}, k{dtype, {6, 90, size}};
      const TensorType logs{DType::float32, {6, 70}}, mask{DType::boolean, {2, 1, 90}};
      AddCompileCase("causal", {"attention", {q, k, k}, {q, logs}}, "causal", int64_t{1}, "scale",
                     0.125);
      AddCompileCase("masked", {"attention", {q, k, k, mask}, {q, logs}}, "masked", int64_t{1});
      AddCompileCase("causal", {"attention_grad", {q, k, k, q, logs, q}, {q, k, k}}, "causal",
                     int64_t{1});
      AddCompileCase("masked", {"attention_grad", {q, k, k, q, logs, q, mask}, {q, k, k}}, "masked",
                     int64_t{1});
    }
  return true;
}();

}  // namespace
}  // namespace stoker::cuda
