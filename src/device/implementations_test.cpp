#include "device/implementations.h"

#include <gtest/gtest.h>

#include "device/node_testing.h"

namespace stoker {
namespace {

struct Named {
  const char* implementation = "";
};
template <bool serves>
std::unique_ptr<Named> plan(const NodeView&, std::string& refusal) {
  if (!serves) refusal = "not this one";
  return serves ? std::make_unique<Named>() : nullptr;
}

class Kernels : public ::testing::Test {
 protected:
  std::string chosen() const {
    return TestedNode("relu", {}, {}).describe_to([&](const StokerNode& node) {
      return std::string(kernels.plan(NodeView(node))->implementation);
    });
  }
  void add(const char* name, Rank rank) {
    kernels.add("relu", name, rank, plan<true>, std::source_location::current());
  }
  Implementations<Named> kernels{"STOKER_TESTED_IMPLEMENTATION"};
};

TEST_F(Kernels, AreTriedByRankThenByName) {
  add("plain", reference);
  EXPECT_EQ(chosen(), "plain");
  add("tiles", optimised);
  add("flash", optimised);
  EXPECT_EQ(chosen(), "flash");
  add("warps", specialised);
  EXPECT_EQ(chosen(), "warps");
}

TEST_F(Kernels, ASecondOneOfTheNameIsRefusedWithBothPlaces) {
  add("plain", reference);
  try {
    kernels.add("relu", "plain", optimised, plan<false>, std::source_location::current());
    FAIL() << "nothing was thrown";
  } catch (const Internal& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("op \"relu\" has two implementations \"plain\""), std::string::npos);
    EXPECT_NE(said.find("implementations_test.cpp:27 and "), std::string::npos) << said;
    EXPECT_NE(said.find("implementations_test.cpp:45"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace stoker
