#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/rewrite.h"

namespace stoker::graph {

// Compares a graph with what somebody expects it to hold: emit() is written like the code that made
// the graph, and finds the node instead of adding it. Whatever is not found spreads as no_value, so
// only the end needs a check.
class ExpectedStep {
 public:
  explicit ExpectedStep(const Graph& graph);

  const Graph& graph() const { return graph_; }
  ValueId scalar(double value);                    // a float32 constant
  ValueId scalar(int64_t value);                   // an int64 one
  bool is_scalar(ValueId v, double* value) const;  // reads a constant
  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs = {});
  const Node* take(const Node* node);  // marks it as explained
  const Node* producer(ValueId v, std::string_view op) const;
  // The nodes of this kind that read v.
  std::vector<const Node*> readers(ValueId v, std::string_view op) const;

  bool is_state(ValueId v) const;
  ValueId update_of(ValueId state) const;  // what it holds after the step
  bool explains_all() const;               // was every node emitted or taken?

 private:
  ValueId constant(const Array& array);
  ValueId simplified(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs) const;

  Graph graph_;  // with constants that were expected and are not there
  size_t nodes_;
  std::multimap<std::string, size_t> by_text_;
  std::vector<bool> taken_;
};

}  // namespace stoker::graph
