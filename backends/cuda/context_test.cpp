#include "context.h"

#include <gtest/gtest.h>

namespace stoker::cuda {
namespace {

TEST(CudaSettings, NothingIsTriedOutWhereTheSameChoiceIsWantedEveryTime) {
  const bool by_time = settings().choose_by_time, deterministic = settings().deterministic;
  settings().choose_by_time = true;
  settings().deterministic = false;
  EXPECT_TRUE(chooses_by_time());
  settings().deterministic = true;
  EXPECT_FALSE(chooses_by_time());
  settings().deterministic = false;
  settings().choose_by_time = false;
  EXPECT_FALSE(chooses_by_time());
  settings().choose_by_time = by_time;
  settings().deterministic = deterministic;
}

}  // namespace
}  // namespace stoker::cuda
