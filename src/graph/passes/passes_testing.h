#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/rewrite.h"

namespace stoker::graph {

// Small graphs built by hand; tests compare the resulting graph as text.
class Passes : public ::testing::Test {
 protected:
  ValueId input(std::vector<int64_t> dims) {
    return graph.add_input({DType::float32, Shape(std::move(dims))});
  }
  ValueId state(const char* name, std::vector<int64_t> dims) {
    auto made = std::make_shared<State>();
    made->name = name;
    made->type = {DType::float32, Shape(std::move(dims))};
    states.push_back(made);
    return graph.state_value(made);
  }
  ValueId node(const char* op, std::vector<ValueId> in, Attrs attrs = {}) {
    return graph.add_node(find_op(op), std::move(in), std::move(attrs))[0];
  }
  std::vector<ValueId> nodes(const char* op, std::vector<ValueId> in, Attrs attrs = {}) {
    return graph.add_node(find_op(op), std::move(in), std::move(attrs));
  }
  // On a device that supports everything but these ops.
  std::string after(std::vector<std::string> refused = {}) {
    const Graph done = run_passes(graph, [&](const Graph&, const Node& n) {
      return std::find(refused.begin(), refused.end(), n.op->name) == refused.end();
    });
    return "\n" + done.to_string();
  }

  Graph graph;
  std::vector<std::shared_ptr<State>> states;
};

}  // namespace stoker::graph
