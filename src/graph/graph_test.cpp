#include "graph/graph.h"

#include <gtest/gtest.h>

#include "graph/rewrite.h"
#include "stoker/error.h"

namespace stoker::graph {
namespace {

const TensorType vector{DType::float32, {4}};

Graph chain() {
  Graph graph;
  const ValueId x = graph.add_input(vector);
  const ValueId y = graph.add_node(find_op("exp"), {x}, {})[0];
  graph.outputs = {graph.add_node(find_op("add"), {x, y}, {})[0]};
  return graph;
}

TEST(Graph, VerifyAcceptsWhatWasBuilt) { EXPECT_NO_THROW(chain().verify()); }

TEST(Graph, VerifyFindsAReadBeforeItsWrite) {
  Graph graph = chain();
  std::swap(graph.nodes[0], graph.nodes[1]);
  EXPECT_THROW(graph.verify(), Internal);
}

TEST(Graph, VerifyFindsAnUpdateOfAnotherType) {
  Graph graph = chain();
  auto state = std::make_shared<State>();
  state->type = {DType::float32, {5}};
  graph.use_of(state).update = graph.outputs[0];
  EXPECT_THROW(graph.verify(), Internal);
}

TEST(Graph, BadInputsNameTheOpAndTheTypes) {
  Graph graph;
  const ValueId a = graph.add_input(vector), b = graph.add_input({DType::float32, {5}});
  try {
    graph.add_node(find_op("add"), {a, b}, {});
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("[add]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("float32(5,)"), std::string::npos) << error.what();
  }
}

TEST(Graph, WhatNothingReadsIsDropped) {
  Graph graph = chain();
  graph.add_node(find_op("log"), {graph.outputs[0]}, {});
  EXPECT_EQ(drop_unused(graph).nodes.size(), 2u);
}

}  // namespace
}  // namespace stoker::graph
