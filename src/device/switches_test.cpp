#include "device/switches.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "stoker/function.h"
#include "stoker/numerics.h"
#include "stoker/ops/elementwise.h"

namespace stoker {
namespace {

std::map<std::string, int64_t>& seen() {
  static std::map<std::string, int64_t> values;
  return values;
}

// Static: a loaded backend is never unloaded.
const StokerBackend& listener() {
  static StokerBackend backend = [] {
    StokerBackend b{};
    b.configure = [](const char* key, int64_t value) { seen()[key] = value; };
    return b;
  }();
  return backend;
}

TEST(Switches, ReachBackendsThatLoadBeforeAndAfter) {
  EXPECT_TRUE(tensor_float_32_execution_enabled());
  EXPECT_FALSE(op_determinism_enabled());
  enable_op_determinism();
  device::configure_by_switches(listener());
  EXPECT_EQ(seen().at("deterministic"), 1);
  EXPECT_EQ(seen().at("tf32"), 1);
  enable_tensor_float_32_execution(false);
  EXPECT_EQ(seen().at("tf32"), 0);
  EXPECT_FALSE(tensor_float_32_execution_enabled());
  enable_tensor_float_32_execution(true);
  enable_op_determinism(false);
  EXPECT_EQ(seen().at("deterministic"), 0);
}

TEST(Switches, StepsArePlannedAnewAfterAChange) {
  const auto twice = function([](const Tensor& x) { return x + x; });
  const Tensor x = Array::scalar(2.0f);
  twice(x);
  twice(x);
  EXPECT_EQ(twice.traces(), 1u);
  enable_tensor_float_32_execution(true);  // restored
  twice(x);
  EXPECT_EQ(twice.traces(), 1u);
  enable_tensor_float_32_execution(false);
  EXPECT_EQ(twice(x).item(), 4);
  EXPECT_EQ(twice.traces(), 2u);
  enable_tensor_float_32_execution(true);
}

}  // namespace
}  // namespace stoker
