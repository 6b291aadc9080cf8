#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "ops/elementwise/elementwise_functions.h"
#include "ops/node_testing.h"

namespace stoker::cpu {
namespace {

using Floats = std::vector<float>;

// A random program over inputs of every layout, with outputs that alias inputs where that is
// allowed, compared with the same instructions run one after the other on whole arrays.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : engine_(seed) {
    shape_ = Shape{1 + pick(40), 1 + pick(90)};
    const int inputs = 1 + pick(5);
    for (int i = 0; i < inputs; ++i) add_input();
    const int instructions = 1 + pick(12);
    for (int i = 0; i < instructions; ++i) add_instruction();
    const int outputs = 1 + pick(3);
    for (int i = 0; i < outputs; ++i) results_.push_back(inputs + pick(instructions));
  }

  void check() {
    std::vector<TensorType> in, out(results_.size(), {DType::float32, shape_});
    for (const auto& input : inputs_) in.push_back({DType::float32, input.shape});
    TestNode node("fused_elementwise", in, out);
    node.with("program", text_).with("results", results_);
    std::vector<Floats> memory;
    for (const auto& input : inputs_) memory.push_back(input.values);
    const auto places = place_outputs(memory);
    std::vector<void*> arguments;
    for (size_t i = 0; i < inputs_.size(); ++i) arguments.push_back(memory[i].data());
    for (size_t place : places) arguments.push_back(memory[place].data());
    node.run_on(arguments);
    for (size_t o = 0; o < results_.size(); ++o)
      compare(memory[places[o]], values_[static_cast<size_t>(results_[o])]);
  }

 private:
  struct Input {
    Shape shape;
    Floats values;
  };
  int pick(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  int64_t size() const { return shape_.size(); }

  void add_input() {
    const Shape shapes[] = {shape_, Shape{}, Shape{shape_[1]}, Shape{shape_[0], 1}, shape_};
    Input input{shapes[pick(5)], {}};
    for (int64_t i = 0; i < input.shape.size(); ++i)
      input.values.push_back(0.25f * static_cast<float>(pick(33) - 16));
    Floats whole(static_cast<size_t>(size()));
    for (int64_t i = 0; i < size(); ++i) {
      const int64_t row = i / shape_[1], column = i % shape_[1];
      const int64_t at = input.shape == shape_     ? i
                         : input.shape.rank() == 0 ? 0
                         : input.shape.rank() == 1 ? column
                                                   : row;
      whole[static_cast<size_t>(i)] = input.values[static_cast<size_t>(at)];
    }
    values_.push_back(std::move(whole));
    inputs_.push_back(std::move(input));
  }

  void add_instruction() {
    static const char* const ops[] = {"add",  "subtract", "multiply", "maximum", "relu_grad",
                                      "relu", "negative", "square",   "copy",    "tanh"};
    const char* op = ops[pick(10)];
    const bool binary =
        op == ops[0] || op == ops[1] || op == ops[2] || op == ops[3] || op == ops[4];
    const int a = pick(static_cast<int>(values_.size())),
              b = pick(static_cast<int>(values_.size()));
    text_ += (text_.empty() ? "" : ";") + std::string(op) + ":float32 " + std::to_string(a);
    if (binary) text_ += " " + std::to_string(b);
    Floats result(static_cast<size_t>(size()));
    find_typed_function(op, DType::float32, DType::float32)(values_[static_cast<size_t>(a)].data(),
                                                            values_[static_cast<size_t>(b)].data(),
                                                            nullptr, result.data(), size());
    values_.push_back(std::move(result));
  }

  // Each output reuses the memory of an input of full size, or has its own.
  std::vector<size_t> place_outputs(std::vector<Floats>& memory) {
    std::vector<size_t> places;
    for (size_t o = 0; o < results_.size(); ++o) {
      const auto wanted = static_cast<size_t>(pick(static_cast<int>(inputs_.size())));
      const bool taken = std::find(places.begin(), places.end(), wanted) != places.end();
      if (inputs_[wanted].shape == shape_ && !taken) {
        places.push_back(wanted);
      } else {
        places.push_back(memory.size());
        memory.emplace_back(static_cast<size_t>(size()), -77.f);
      }
    }
    return places;
  }

  void compare(const Floats& got, const Floats& wanted) const {
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(wanted[i]) || std::isinf(wanted[i])) continue;
      ASSERT_NEAR(got[i], wanted[i], 1e-3f * (1 + std::abs(wanted[i]))) << text_ << " at " << i;
    }
  }

  std::mt19937 engine_;
  Shape shape_;
  std::vector<Input> inputs_;
  std::vector<Floats> values_;  // of inputs and instructions of full size
  std::string text_;
  std::vector<int64_t> results_;
};

TEST(ElementwiseProgram, IsItsInstructionsOneByOne) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomProgram(seed).check();
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace stoker::cpu
