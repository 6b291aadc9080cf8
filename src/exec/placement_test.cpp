#include <gtest/gtest.h>

#include "device/scope.h"
#include "exec/eager.h"
#include "exec/variable.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/elementwise.h"
#include "support/fresh_devices.h"

// On which device variables, ops and traced functions live.
namespace stoker {
namespace {

class Placement : public testing::FreshDevices {
 protected:
  Placement() { set_logical_device_configuration(cpu(), {{}, {}}); }
  static const std::string& where(const Tensor& t) { return exec::buffer_of(t).device().name(); }
  static const std::string& where(const Variable& v) {
    return exec::memory_of(*v.state()).memory().device().name();
  }
  static Variable variable(double value) { return Variable(Array::scalar(value), "v"); }
};

TEST_F(Placement, AScopeHoldsWhatIsMadeInIt) {
  Variable v;
  Tensor t;
  {
    const Device scope("/cpu:1");
    v = variable(3);
    t = Tensor(Array::scalar(2.0)) * 2.0;
  }
  EXPECT_EQ(where(v), "/cpu:1");
  EXPECT_EQ(where(t), "/cpu:1");
  EXPECT_EQ(where(t * t), "/cpu:1");  // an op stays with its operands
  EXPECT_EQ(where(Tensor(Array::scalar(2.0))), "/cpu:0");
}

TEST_F(Placement, AScopeFetchesItsOperands) {
  const Tensor t(Array::scalar(2.0));
  const Device scope("/cpu:1");
  const Tensor square = t * t;
  EXPECT_EQ(where(square), "/cpu:1");
  EXPECT_EQ(square.item(), 4);
}

TEST_F(Placement, AFunctionRunsWhereItsVariablesWereMade) {
  Variable v;
  {
    const Device scope("/cpu:1");
    v = variable(3);
  }
  const auto twice = function([v](const Tensor& x) { return v * x; });
  const Tensor two(Array::scalar(2.0));
  EXPECT_EQ(where(twice(two)), "/cpu:1");
  EXPECT_EQ(where(v), "/cpu:1");
}

TEST_F(Placement, AScopeTakesVariablesWithItAndTheyGoBackHome) {
  Variable v;
  {
    const Device scope("/cpu:1");
    v = variable(3);
  }
  const auto count = function([v](const Tensor& x) {
    v.assign(v + x);
    return v.read();
  });
  const Tensor one(Array::scalar(1.0));
  EXPECT_EQ(count(one).item(), 4);
  {
    const Device scope("/cpu:0");
    EXPECT_EQ(count(one).item(), 5);
    EXPECT_EQ(where(v), "/cpu:0");
  }
  EXPECT_EQ(count(one).item(), 6);
  EXPECT_EQ(where(v), "/cpu:1");
}

TEST_F(Placement, MovedVariablesLeaveNothingBehind) {
  Variable v(Array(DType::float32, Shape{1000}), "v");
  const auto read = function([v](const Tensor& x) { return v * x; });
  const Tensor x(Array::scalar(1.0f));
  read(x);
  {
    const Device scope("/cpu:1");
    read(x);
    EXPECT_EQ(get_memory_info("/cpu:1")["parameters"].current, 4000);
    read(x);
  }
  EXPECT_EQ(get_memory_info("/cpu:0")["parameters"].current, 4000);  // held by the first step
  read(x);
  EXPECT_EQ(get_memory_info("/cpu:0")["parameters"].current, 4000);
}

TEST_F(Placement, AReadNeedsNoDevice) {
  const Variable v = variable(3);
  EXPECT_EQ(v.array().at(0), 3);
  EXPECT_EQ(get_memory_info("/cpu:0").current, 0);
}

}  // namespace
}  // namespace stoker
