#include "stoker/ops/all_reduce.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "distribution/slice.h"
#include "exec/traced_step.h"
#include "graph/rewrite.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace {

using distribution::SliceScope;

int64_t count_of(const graph::Graph& graph, const char* op) {
  return std::ranges::count_if(graph.nodes, [&](const auto& node) { return node.op->name == op; });
}

TEST(AllReduce, IsNoOpOutsideASlice) {
  const Tensor x(Array::scalar(3.0f));
  EXPECT_EQ(ops::all_reduce(x).id(), x.id());
  EXPECT_EQ(ops::mean_over_ranks(x).id(), x.id());
  EXPECT_EQ(ops::count_over_ranks(x), 1);
}

// With one rank the sum over all ranks is the rank's own value.
TEST(AllReduce, SumsSmallAndLargeTensors) {
  const SliceScope slice({4, 2, 2});
  const Tensor small(Array::from<float>({1, 2, 3}, {3})), integer(Array::scalar(int64_t{7}));
  const Tensor large = ops::fill({200, 300}, 0.5, DType::float32);
  const auto sums = ops::all_reduce({small, integer, large, small * 2.0});
  EXPECT_EQ(sums[0].array().at(2), 3);
  EXPECT_EQ(sums[1].array().at(0), 7);
  EXPECT_EQ(sums[2].array().at(59999), 0.5);
  EXPECT_EQ(sums[3].array().at(1), 4);
  EXPECT_EQ(ops::mean_over_ranks(small).array().at(0), 0.5);
  EXPECT_EQ(ops::count_over_ranks(small), 6);
}

// An all-reduce that needs an earlier one's sum cannot be merged with it.
TEST(AllReduce, SmallOnesThatDoNotDependOnEachOtherAreMerged) {
  const SliceScope slice({4, 2, 2});
  graph::Graph graph = exec::trace(
      [](const std::vector<Tensor>& in) {
        const Tensor a = ops::all_reduce(ops::sum(in[0])), b = ops::all_reduce(ops::sum(in[1]));
        return std::vector{ops::all_reduce(a * ops::sum(in[0])), b};
      },
      {{DType::float32, {3}}, {DType::float32, {5}}});
  EXPECT_EQ(count_of(graph, "all_reduce"), 3);
  graph = graph::run_passes(std::move(graph), [](const auto&, const auto&) { return false; });
  EXPECT_EQ(count_of(graph, "all_reduce"), 2);
}

TEST(AllReduce, PassesGradientsAsItIsTold) {
  const SliceScope slice({4, 2, 2});
  for (const auto kind : {ops::ReduceGradient::summed, ops::ReduceGradient::local}) {
    const graph::Graph graph = exec::trace(
        [&](const std::vector<Tensor>& in) {
          const Variable w(Array::scalar(2.0f), "w");
          GradientTape tape;
          const Tensor loss = ops::all_reduce(ops::sum(in[0] * w), kind);
          return tape.gradient(loss, std::vector<Variable>{w});
        },
        {{DType::float32, {3}}});
    EXPECT_EQ(count_of(graph, "all_reduce"), kind == ops::ReduceGradient::local ? 1 : 2);
  }
}

TEST(RandomNumbers, OfASliceAreThoseOfItsRows) {
  const Tensor counter(Array::scalar(int64_t{11}));
  for (const auto draw : {ops::random_uniform, ops::random_normal}) {
    const Array all = draw({7, 3}, 5, counter).array();
    for (int64_t rank = 0; rank < 3; ++rank) {
      const distribution::Slice rows = distribution::Division{rank, 3}.of(7);
      const SliceScope slice(rows);
      const Array here = draw({rows.here, 3}, 5, counter).array();
      for (int64_t i = 0; i < here.size(); ++i) EXPECT_EQ(here.at(i), all.at(rows.first * 3 + i));
      EXPECT_EQ(draw({5}, 5, counter).array().at(1), all.at(1)) << "not one number per row";
    }
  }
}

}  // namespace
}  // namespace stoker
