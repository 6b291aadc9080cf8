#include "ops/op_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/elementwise/elementwise_ops.h"
#include "graph/emit.h"
#include "graph/graph.h"
#include "stoker/gradient_tape.h"
#include "support/compare.h"
#include "support/gradient_check.h"
#include "support/random_values.h"
#include "support/run_op.h"

namespace stoker::testing {

std::vector<OpCase>& op_cases() {
  static std::vector<OpCase> cases;
  return cases;
}
std::vector<Refusal>& refusals() {
  static std::vector<Refusal> list;
  return list;
}
AddCases::AddCases(std::vector<OpCase> cases, std::vector<Refusal> refused) {
  for (OpCase& one : cases) op_cases().push_back(std::move(one));
  for (Refusal& one : refused) refusals().push_back(std::move(one));
}

namespace {

// Gradients stop at these: their outputs are whole numbers, states, random or constant in pieces.
const std::set<std::string> nondifferentiable{"stop_gradient",
                                              "one_hot",
                                              "argmax",
                                              "in_top_k",
                                              "random_uniform",
                                              "random_normal",
                                              "all_finite",
                                              "adam_update",
                                              "adam_update_if",
                                              "adam_update_rows",
                                              "subtract_rows",
                                              "batch_norm_grad",
                                              "layer_norm_grad",
                                              "max_pool2d_grad",
                                              "attention_grad",
                                              "lstm_grad",
                                              "gru_grad",
                                              "simple_rnn_grad",
                                              "sparse_softmax_cross_entropy_grad"};
// An elementwise op's row tells.
bool has_no_gradient(const std::string& op) {
  const ElementwiseOp* row = find_elementwise_op(op);
  return row ? !row->has_gradient : nondifferentiable.contains(op);
}

constexpr DType float_types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

class OpCases : public ::testing::TestWithParam<OpCase> {
 protected:
  static std::vector<Array> run(DType dtype, Kernels kernels = Kernels::chosen) {
    const OpCase& c = GetParam();
    return run_op(c.op, floats_as(dtype, c.inputs), c.attrs, kernels);
  }
  static void expect_near(const std::vector<Array>& actual, const std::vector<Array>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_TRUE(near(actual[i], expected[i], op_tolerance(actual[i].dtype()))) << "output " << i;
  }
};

class PlainOpCases : public OpCases {};

TEST_P(PlainOpCases, Float64AgreesWithPlainCode) {
  const OpCase& c = GetParam();
  const auto out = run(DType::float64, Kernels::reference);
  expect_near({out[0]}, {Array::from(c.plain(c.inputs), out[0].shape())});
}

TEST_P(OpCases, Float32AgreesWithFloat64) { expect_near(run(DType::float32), run(DType::float64)); }

// Kernels flush denormals to zero in arithmetic, while functions such as pow may still see them: a
// result is compared with both.
constexpr double least_normal = 1.1754943508222875e-38;  // of float32
Array flushed(const Array& array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.size(); ++i)
    values.push_back(std::abs(array.at(i)) < least_normal ? 0.0 : array.at(i));
  return Array::from(values, array.shape());
}
// Each value replaced by itself, zero, a denormal, the smallest normal number or a tiny one,
// keeping its sign.
std::vector<Array> tiny(const std::vector<Array>& inputs) {
  constexpr double sizes[] = {0, 1e-45, 3e-39, 1.1e-38, least_normal, 1e-30, 1e-20};
  std::vector<Array> changed;
  for (const Array& array : inputs) {
    std::vector<double> values;
    for (int64_t i = 0; i < array.size(); ++i)
      values.push_back(i % 8 == 7 ? array.at(i) : std::copysign(sizes[i % 8], array.at(i)));
    changed.push_back(is_floating(array.dtype()) ? Array::from(values, array.shape()) : array);
  }
  return changed;
}

// The op's float64 results as float32: overflow becomes infinite.
std::vector<Array> exact_results(const OpCase& c, const std::vector<Array>& inputs, bool flush) {
  std::vector<Array> wide = floats_as(DType::float64, inputs);
  for (Array& array : wide)
    if (flush && is_floating(array.dtype())) array = flushed(array);
  return floats_as(DType::float32, run_op(c.op, wide, c.attrs, Kernels::reference));
}

void expect_either(const Array& actual, const Array& one, const Array& other) {
  const Tolerance tolerance = op_tolerance(actual.dtype());
  ASSERT_EQ(actual.shape(), one.shape());
  for (int64_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(tolerance.holds(actual.at(i), one.at(i)) ||
                tolerance.holds(actual.at(i), other.at(i)))
        << "element " << i << " is " << actual.at(i) << " instead of " << one.at(i) << " or "
        << other.at(i);
}

TEST_P(OpCases, TinyAndDenormalInputsAgreeWithFloat64) {
  const OpCase& c = GetParam();
  const auto inputs = floats_as(DType::float32, tiny(c.inputs));
  const auto flushed_results = exact_results(c, inputs, true),
             plain = exact_results(c, inputs, false);
  for (const Kernels kernels : {Kernels::chosen, Kernels::reference}) {
    const auto out = run_op(c.op, inputs, c.attrs, kernels);
    for (size_t i = 0; i < out.size(); ++i) expect_either(out[i], flushed_results[i], plain[i]);
  }
}

// With the same, already rounded inputs.
TEST_P(OpCases, Float16AgreeWithFloat64) {
  const OpCase& c = GetParam();
  for (DType half : {DType::float16, DType::bfloat16}) {
    const auto inputs = floats_as(half, c.inputs);
    expect_near(run_op(c.op, inputs, c.attrs),
                run_op(c.op, floats_as(DType::float64, inputs), c.attrs));
  }
}

TEST_P(OpCases, ChosenKernelAgreesWithReference) {
  const OpCase& c = GetParam();
  bool compared = false;
  for (DType dtype : float_types) {
    const auto inputs = floats_as(dtype, c.inputs);
    OneOp chosen(c.op, inputs, c.attrs), reference(c.op, inputs, c.attrs, Kernels::reference);
    if (chosen.implementations() == reference.implementations()) continue;
    expect_near(chosen.run(inputs), reference.run(inputs));
    compared = true;
  }
  if (!compared) GTEST_SKIP() << "the device has one kernel for it";
}

bool all_finite(const Array& values) {
  for (int64_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values.at(i))) return false;
  return true;
}

// Checks the gradient of one output; false if it is not finite.
bool expect_gradient_of(const OpCase& c, const std::vector<Array>& inputs, size_t output) {
  GradientTape tape;
  const std::vector<Tensor> tensors(inputs.begin(), inputs.end());
  const Tensor out = graph::emit(c.op, tensors, c.attrs)[output];
  if (!is_floating(out.dtype()) || !all_finite(out.array())) return false;
  const Array weights = random_values(out.shape(), 99);
  const auto gradients = tape.gradient(out, tensors, weights);
  OneOp op(c.op, inputs, c.attrs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_floating(inputs[i].dtype())) continue;
    const auto output_at = [&](const Array& moved) {
      auto all = inputs;
      all[i] = moved;
      return op.run(all)[output];
    };
    const Array gradient =
        gradients[i].defined() ? gradients[i].array() : Array(DType::float64, inputs[i].shape());
    EXPECT_EQ(gradient_mismatch(output_at, inputs[i], weights, gradient), "")
        << "output " << output << ", input " << i;
  }
  return true;
}

class DifferentiableOpCases : public OpCases {};

TEST_P(DifferentiableOpCases, GradientAgreesWithDifferences) {
  // Differentiable outputs, if not only the first; the others are used by the op's gradient.
  static const std::map<std::string, size_t> results{
      {"lstm", 3}, {"gru", 2}, {"simple_rnn", 2}, {"batch_norm", 3}};
  const OpCase& c = GetParam();
  const auto inputs = floats_as(DType::float64, c.inputs);
  const auto known = results.find(c.op);
  bool checked = false;
  for (size_t output = 0; output < (known == results.end() ? 1 : known->second); ++output)
    checked |= expect_gradient_of(c, inputs, output);
  if (!checked) GTEST_SKIP() << "no output is of finite numbers";
}

std::vector<OpCase> cases_where(bool (*holds)(const OpCase&)) {
  std::vector<OpCase> found;
  std::ranges::copy_if(op_cases(), std::back_inserter(found), holds);
  return found;
}
bool has_plain_code(const OpCase& c) { return c.plain != nullptr; }
bool has_gradient(const OpCase& c) {
  return !has_no_gradient(c.op) &&
         std::ranges::any_of(c.inputs, [](const Array& a) { return is_floating(a.dtype()); });
}

constexpr auto case_name = [](const auto& test) { return test.param.op + "_" + test.param.name; };
INSTANTIATE_TEST_SUITE_P(Ops, OpCases, ::testing::ValuesIn(op_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Ops, PlainOpCases, ::testing::ValuesIn(cases_where(has_plain_code)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Ops, DifferentiableOpCases, ::testing::ValuesIn(cases_where(has_gradient)),
                         case_name);

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheOpAndTheReason) {
  const Refusal& r = GetParam();
  std::vector<Array> inputs;
  for (const TensorType& type : r.inputs) inputs.emplace_back(type.dtype, type.shape);
  std::string message;
  try {
    run_op(r.op, inputs, r.attrs);
  } catch (const InvalidArgument& error) {
    message = error.what();
  } catch (const Unsupported& error) {
    message = error.what();
  }
  ASSERT_FALSE(message.empty()) << "it was accepted";
  EXPECT_NE(message.find(r.op), std::string::npos) << message;
  EXPECT_NE(message.find(r.says), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Ops, Refusals, ::testing::ValuesIn(refusals()), case_name);

// These exist only inside a compiled step, which fused_step_test.cpp compares with its separate
// ops; a host_call needs a function, see host_call_test.cpp, and all_reduce exists only inside a
// slice, see all_reduce_test.cpp.
bool tested_elsewhere(const std::string& op) {
  static const std::set<std::string> ops{"after",
                                         "fused_elementwise",
                                         "fused_matmul",
                                         "matmul_adam",
                                         "matmul_adam_bias",
                                         "conv2d_bias",
                                         "conv2d_bias_pool",
                                         "conv2d_kernel_grad_pooled",
                                         "conv2d_kernel_bias_grad",
                                         "conv2d_kernel_bias_grad_pooled",
                                         "conv2d_kernel_bias_grad_of_product",
                                         "conv2d_input_grad_masked",
                                         "train_dense_stack",
                                         "softmax_head",
                                         "dense_softmax_head",
                                         "wide_softmax_head",
                                         "cast_many",
                                         "adam_update_many",
                                         "gather_many",
                                         "host_call",
                                         "all_reduce"};
  return ops.contains(op);
}

TEST(OpRegistry, EveryOpHasCases) {
  for (const graph::Op* op : graph::all_ops())
    EXPECT_TRUE(tested_elsewhere(op->name) ||
                std::any_of(op_cases().begin(), op_cases().end(),
                            [&](const OpCase& c) { return c.op == op->name; }))
        << op->name;
}

TEST(OpRegistry, EveryOpHasAGradientOrIsKnownToHaveNone) {
  for (const graph::Op* op : graph::all_ops()) {
    if (tested_elsewhere(op->name)) continue;
    EXPECT_NE(op->gradient != nullptr, has_no_gradient(op->name)) << op->name;
  }
}

}  // namespace
}  // namespace stoker::testing
