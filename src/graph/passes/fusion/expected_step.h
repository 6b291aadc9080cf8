#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/rewrite.h"

namespace stoker::graph {

// Compares a graph with an expected one: emit() is used like the code that built the graph, but
// finds the node instead of adding it. Once a node is not found, no_value propagates, so only the
// final result needs a check.
class ExpectedStep {
 public:
  explicit ExpectedStep(const Graph& graph);

  const Graph& graph() const { return graph_; }
  ValueId scalar(double value);                    // a float32 constant
  ValueId scalar(int64_t value);                   // an int64 one
  bool is_scalar(ValueId v, double* value) const;  // reads a constant
  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs = {});
  const Node* take(const Node* node);  // marks it as accounted for
  const Node* producer(ValueId v, std::string_view op) const;
  // The nodes of this kind that read v.
  std::vector<const Node*> readers(ValueId v, std::string_view op) const;

  bool is_state(ValueId v) const;
  ValueId update_of(ValueId state) const;  // what it holds after the step
  bool explains_all() const;               // was every node emitted or taken?

 private:
  ValueId constant(const Array& array);
  ValueId simplified(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs) const;

  Graph graph_;  // including expected constants that the graph does not have
  size_t nodes_;
  std::multimap<std::string, size_t> by_text_;
  std::vector<std::vector<int32_t>> readers_;  // by value
  std::vector<bool> taken_;
};

}  // namespace stoker::graph
