#include "ops/node_testing.h"

// Recurrences and attention, for NVRTC.
namespace stoker::cuda {
namespace {

void add_recurrences(DType dtype, int64_t units) {
  const int64_t time = 3, batch = 2;
  const auto steps = [&](int64_t gates) -> TensorType {
    return {dtype, {time, batch, gates * units}};
  };
  const auto kernel = [&](int64_t gates) -> TensorType { return {dtype, {units, gates * units}}; };
  const TensorType state{dtype, {batch, units}}, mask{DType::boolean, {time, batch}};
  AddCompileCase("lstm",
                 {"lstm",
                  {steps(4), kernel(4), state, state, mask},
                  {steps(1), state, state, steps(1), steps(4)}},
                 "masked", int64_t{1});
  AddCompileCase("lstm_grad",
                 {"lstm_grad",
                  {steps(4), kernel(4), steps(1), state, steps(1), state, steps(1), state, state},
                  {steps(4), state, state}},
                 "of_sequence", int64_t{1}, "of_h", int64_t{1}, "of_c", int64_t{1});
  AddCompileCase(
      "gru",
      {"gru", {steps(3), kernel(3), state, {dtype, {3 * units}}}, {steps(1), state, steps(4)}});
  AddCompileCase(
      "gru_grad",
      {"gru_grad", {steps(4), kernel(3), steps(1), state, steps(1)}, {steps(3), state, steps(3)}},
      "of_sequence", int64_t{1});
  AddCompileCase("simple_rnn", {"simple_rnn", {steps(1), kernel(1), state}, {steps(1), state}},
                 "activation", std::string("relu"));
  AddCompileCase("simple_rnn_grad",
                 {"simple_rnn_grad", {kernel(1), steps(1), state, mask, state}, {steps(1), state}},
                 "masked", int64_t{1}, "of_h", int64_t{1});
}

[[maybe_unused]] const bool recurrences = [] {
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    add_recurrences(dtype, 20);
  for (DType dtype : {DType::float32, DType::bfloat16}) add_recurrences(dtype, 250);
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
