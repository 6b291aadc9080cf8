#include <gtest/gtest.h>

#include <random>

#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"
#include "support/compare.h"
#include "support/random_values.h"

// Random programs run compiled as a whole and op by op. A difference is a bug of the passes, the
// fused kernels or the memory plan.
namespace stoker::testing {
namespace {

using namespace ops;

// The same seed generates the same program. Every op is continuous and keeps values small, so that
// rounding errors stay small.
class RandomProgram {
 public:
  RandomProgram(uint32_t seed, std::vector<Variable> variables)
      : seed_(seed), variables_(std::move(variables)) {}

  std::vector<Tensor> operator()(const Tensor& a, const Tensor& b) {
    random_.seed(seed_);
    pool_ = {a, b};
    std::vector<Tensor> results;
    const int length = 6 + pick(24);
    for (int i = 0; i < length; ++i) {
      add_instruction();
      if (pick(6) == 0) results.push_back(any());
    }
    results.push_back(pool_.back());
    return results;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
  Tensor any() { return pool_[static_cast<size_t>(pick(static_cast<int>(pool_.size())))]; }
  Variable variable() {
    return variables_[static_cast<size_t>(pick(static_cast<int>(variables_.size())))];
  }
  void keep(const Tensor& tensor) {
    if (tensor.shape().size() <= 512) pool_.push_back(tensor);
  }

  void add_instruction() {
    switch (pick(12)) {
      case 0:
      case 1:
        return keep(unary(any()));
      case 2:
      case 3:
      case 4:
        return keep(binary(any(), any()));
      case 5:
        return keep(reduction(any()));
      case 6:
        return keep(product(any(), any()));
      case 7:
        return keep(movement(any()));
      case 8:
        return keep(softmax_of(any()));
      case 9:
        return keep(variable());
      case 10:
        return update();
      default:
        return swap_or_train();
    }
  }

  Tensor unary(const Tensor& x) {
    switch (pick(8)) {
      case 0:
        return tanh(x);
      case 1:
        return sigmoid(x);
      case 2:
        return relu(x);
      case 3:
        return square(tanh(x));
      case 4:
        return sin(x) * 0.5 + 0.25;
      case 5:
        return exp(minimum(x, 1.0));
      case 6:
        return sqrt(abs(x) + 0.5);
      default:
        return negative(x);
    }
  }

  // Reshapes operands whose shapes do not match.
  Tensor binary(const Tensor& a, const Tensor& given) {
    Tensor b = given;
    if (!fits(a.shape(), b.shape())) b = mean(b);
    switch (pick(6)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return tanh(a * b);
      case 3:
        return maximum(a, b);
      case 4:
        return minimum(a, b) * 0.5;
      default:
        return tanh(a / (square(b) + 1.0));
    }
  }
  static bool fits(const Shape& a, const Shape& b) {
    for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i)
      if (a[-i] != b[-i] && a[-i] != 1 && b[-i] != 1) return false;
    return true;
  }

  Tensor reduction(const Tensor& x) {
    ReduceArgs args{.keepdims = pick(2) == 0};
    if (x.shape().rank() > 0 && pick(3) > 0) args.axis = {pick(x.shape().rank())};
    switch (pick(3)) {
      case 0:
        return mean(x, args);
      case 1:
        return max(x, args);
      default:
        return tanh(sum(x, args));
    }
  }

  Tensor product(const Tensor& a, const Tensor& b) {
    if (a.shape().rank() != 2 || b.shape().rank() != 2) return unary(a);
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        if (a.shape()[ta ? 0 : 1] == b.shape()[tb ? 1 : 0])
          return tanh(matmul(a, b, {.transpose_a = ta, .transpose_b = tb}));
    return tanh(matmul(a, a, {.transpose_b = true}));
  }

  Tensor movement(const Tensor& x) {
    const int rank = x.shape().rank();
    if (rank == 0) return reshape(x, {1, 1});
    switch (pick(5)) {
      case 0:
        return reshape(x, {-1});
      case 1:
        return rank == 2 ? transpose(x, {1, 0}) : reshape(x, {1, -1});
      case 2:
        return concatenate({x, tanh(x)}, pick(rank));
      case 3: {
        std::vector<int64_t> start(static_cast<size_t>(rank), 0);
        auto size = x.shape().dims();
        size[0] = (size[0] + 1) / 2;
        start[0] = x.shape()[0] - size[0];
        return slice(x, start, size);
      }
      default:
        return pad(x, std::vector<int64_t>(static_cast<size_t>(rank), 1),
                   std::vector<int64_t>(static_cast<size_t>(rank), 0));
    }
  }

  Tensor softmax_of(const Tensor& x) {
    if (x.shape().rank() == 0) return tanh(x);
    return pick(2) == 0 ? softmax(x) : log_softmax(x) * 0.25;
  }

  // Assigns a variable a value that may depend on its old one; the old one may be read later.
  void update() {
    const Variable v = variable();
    const Tensor old = v;
    v.assign(pick(2) == 0 ? tanh(old + mean(any()))
                          : sum_to(tanh(any_of(v.shape()) + old), v.shape()));
    if (pick(2) == 0) keep(old);
    if (pick(2) == 0) keep(v);
  }
  Tensor any_of(const Shape& shape) {
    for (int tries = 0; tries < 8; ++tries)
      if (Tensor found = any(); found.shape() == shape) return found;
    return fill(shape, 0.25, pool_[0].dtype());
  }

  void swap_or_train() {
    const Variable v = variable(), w = variable();
    if (pick(2) == 0 && v.shape() == w.shape()) {
      const Tensor old = v;
      v.assign(w);
      w.assign(old);
      return;
    }
    GradientTape tape;
    const Tensor loss = mean(square(tanh(any_of(v.shape()) * v) - 0.5));
    v.assign(v - 0.1 * tape.gradient(loss, std::vector{v})[0]);
  }

  uint32_t seed_;
  std::mt19937 random_;
  std::vector<Variable> variables_;
  std::vector<Tensor> pool_;
};

std::vector<Variable> make_variables(DType dtype) {
  std::vector<Variable> variables;
  for (const Shape& shape : {Shape{4, 6}, Shape{4, 6}, Shape{6}, Shape{6, 6}, Shape{}})
    variables.emplace_back(random_values(shape, variables.size()).astype(dtype), "v");
  return variables;
}

DType dtype_for(uint32_t seed) {
  switch (seed % 8) {
    case 0:
      return DType::float64;
    case 3:
      return DType::float16;
    case 6:
      return DType::bfloat16;
    default:
      return DType::float32;
  }
}

class RandomPrograms : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomPrograms, CompiledAgreesWithOpByOp) {
  const uint32_t seed = GetParam();
  const DType dtype = dtype_for(seed);
  const auto together = make_variables(dtype), one_by_one = make_variables(dtype);
  RandomProgram program(seed, one_by_one);
  const auto compiled =
      function([program = std::make_shared<RandomProgram>(seed, together)](
                   const Tensor& a, const Tensor& b) { return (*program)(a, b); });
  for (uint64_t step = 0; step < 3; ++step) {
    const Array a = random_values({4, 6}, 100 + step).astype(dtype),
                b = random_values({4, 1}, 200 + step).astype(dtype);
    const auto expected = program(a, b), actual = compiled(Tensor(a), Tensor(b));
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_TRUE(near(actual[i].array(), expected[i].array(), program_tolerance(dtype)))
          << "seed " << seed << ", step " << step << ", result " << i;
    for (size_t v = 0; v < together.size(); ++v)
      ASSERT_TRUE(near(together[v].array(), one_by_one[v].array(), program_tolerance(dtype)))
          << "seed " << seed << ", step " << step << ", variable " << v;
  }
  EXPECT_EQ(compiled.traces(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, ::testing::Range(0u, 200u));

}  // namespace
}  // namespace stoker::testing
