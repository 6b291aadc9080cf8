#include "exec/compiled_step.h"

#include <gtest/gtest.h>

#include "exec/traced_step.h"
#include "stoker/function.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/variable_factory.h"

namespace stoker::exec {
namespace {

std::string error_of(const TracedStep::Body& body) {
  TracedStep step(body);
  try {
    step.step_for({{DType::float32, Shape{2}}});
  } catch (const OutOfMemory& error) {
    return error.what();
  }
  return "";
}

// Allocates nothing: the initial value would make the test fail.
TEST(CompiledStep, NamesAWeightThatDoesNotFitBeforeTakingMemory) {
  const Variable huge =
      make_variable({DType::float32, Shape{int64_t{1} << 44}}, "dense/kernel", true, []() -> Array {
        ADD_FAILURE() << "was initialised";
        return {};
      });
  const auto body = [&](const std::vector<Tensor>& in) {
    return std::vector{in[0] + ops::slice(huge, {0}, {2})};
  };
  const std::string message = error_of(body);
  EXPECT_NE(message.find("\"dense/kernel\" alone 64.00 TB"), std::string::npos) << message;
  EXPECT_NE(message.find("smaller layers"), std::string::npos) << message;
}

TEST(CompiledStep, NamesWhatIsLeftToOthersWhereThatIsWhyItDoesNotFit) {
  TracedStep step([](const std::vector<Tensor>& in) { return std::vector{in[0] + in[0]}; });
  try {
    step.step_for({{DType::float32, Shape{2}}}, {.reserve = int64_t{1} << 50});
    ADD_FAILURE() << "it fits";
  } catch (const OutOfMemory& error) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "besides 1024.00 TB for the data and further steps",
                        error.what());
  }
}

TEST(CompiledStep, RefusesActivationsThatDoNotFit) {
  const auto body = [](const std::vector<Tensor>& in) {
    const Tensor wide = ops::broadcast_to(in[0], Shape{int64_t{1} << 43, 2});
    return std::vector{ops::transpose(wide, {1, 0})};
  };
  const std::string message = error_of(body);
  EXPECT_NE(message.find("for activations and workspace"), std::string::npos) << message;
  EXPECT_NE(message.find("smaller batch"), std::string::npos) << message;
}

}  // namespace
}  // namespace stoker::exec
