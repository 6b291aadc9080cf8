#include <gtest/gtest.h>

#include "ops/node_testing.h"
#include "ops/reduce/reduce_text.h"

namespace stoker::cuda {
namespace {

using Axes = std::vector<int64_t>;

TEST(CudaReduceAxes, MergesNeighboursAndFindsTheInnerOnes) {
  const ReduceAxes channels = reduce_axes({8, 5, 7, 32}, {0, 1, 2});
  EXPECT_EQ(channels.reduced, (Axes{280}));
  EXPECT_EQ(channels.reduced_strides, (Axes{32}));
  EXPECT_EQ(channels.inner, 32);
  EXPECT_TRUE(channels.kept.empty());
  const ReduceAxes mixed = reduce_axes({2, 3, 4, 5}, {1, 3});
  EXPECT_EQ(mixed.kept, (Axes{2, 4}));
  EXPECT_EQ(mixed.kept_strides, (Axes{60, 5}));
  EXPECT_EQ(mixed.reduced, (Axes{3, 5}));
  EXPECT_EQ(mixed.reduced_strides, (Axes{20, 1}));
  EXPECT_EQ(mixed.inner, 1);
}

TEST(CudaReduceAxes, ReadsWholeVectorsOnlyWhereRowsAreMultiples) {
  EXPECT_TRUE(reduce_axes({6, 8}, {1}).reads_whole(4));
  EXPECT_FALSE(reduce_axes({6, 10}, {1}).reads_whole(4));
  EXPECT_TRUE(reduce_axes({7, 8}, {0}).reads_whole(4));
  EXPECT_FALSE(reduce_axes({8, 7}, {0}).reads_whole(4));
  EXPECT_TRUE(reduce_axes({7, 4}, {}).reads_whole(4));
  EXPECT_FALSE(reduce_axes({}, {}).reads_whole(4));
}

[[maybe_unused]] const bool added = [] {
  struct Situation {
    const char* name;
    Shape in, out;
    Axes axes;
  };
  const Situation situations[] = {
      {"all", {512, 784}, {}, {}},
      {"few", {5}, {}, {}},
      {"rows", {4000, 50}, {4000}, {1}},
      {"long rows", {3, 100000}, {3}, {1}},
      {"columns", {4096, 1024}, {1024}, {0}},
      {"narrow columns", {32, 10}, {10}, {0}},
      {"alternating", {2, 3, 2, 3}, {2, 2}, {1, 3}},
      {"alternating kept", {2, 3, 2, 3}, {3, 3}, {0, 2}},
      {"of nothing", {2, 3, 0}, {3}, {0, 2}},
      {"to nothing", {0, 3}, {0}, {1}},
  };
  for (const Situation& s : situations)
    for (DType dtype :
         {DType::float32, DType::float64, DType::bfloat16, DType::uint8, DType::int64})
      for (const char* op : {"reduce_sum", "reduce_max"})
        AddCompileCase(fmt::format("{} {}", s.name, name_of(dtype)),
                       {op, {{dtype, s.in}}, {{dtype, s.out}}}, "axis", s.axes);
  AddCompileCase("int32", {"reduce_min", {{DType::int32, {5, 6}}}, {{DType::int32, {6}}}}, "axis",
                 Axes{0});
  for (DType dtype : {DType::float32, DType::float16, DType::int8})
    for (int64_t axis : {0, 1})
      AddCompileCase(std::string(name_of(dtype)),
                     {"argmax", {{dtype, {32, 10}}}, {{DType::int64, {axis ? 32 : 10}}}}, "axis",
                     axis);
  return true;
}();

}  // namespace
}  // namespace stoker::cuda
