#pragma once
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace stoker::graph {

// Copies a graph node by node, in order; a pass may drop, replace or add nodes.
class Rewriter {
 public:
  explicit Rewriter(const Graph& old);
  Graph& graph() { return graph_; }
  ValueId map(ValueId old) const { return map_[static_cast<size_t>(old)]; }
  std::vector<ValueId> map(const std::vector<ValueId>& old) const;
  void set(ValueId old, ValueId now) { map_[static_cast<size_t>(old)] = now; }
  void keep(const Node& node);
  // Adds a node to the new graph (inputs are new values); its outputs replace the old ones.
  void replace(const std::vector<ValueId>& old_outputs, const Op& op, std::vector<ValueId> inputs,
               Attrs attrs, const std::string& scope);
  Graph finish();  // maps outputs and updates, drops what nothing reads

 private:
  const Graph& old_;
  Graph graph_;
  std::vector<ValueId> map_;
};

std::vector<int32_t> count_uses(const Graph& graph);  // by value; outputs and updates count too
Graph drop_unused(const Graph& graph);

// Does the device support this node? Passes ask before they add a fused one.
using Accepts = std::function<bool(const Graph&, const Node&)>;

struct Pass {
  std::string name;  // as in passes/pipeline.cpp, which defines the order
  std::function<Graph(const Graph&, const Accepts&)> run;
};
struct RegisterPass {
  // Throws Internal if the name is already registered, with both places, or is not in the list.
  RegisterPass(Pass pass, std::source_location place = std::source_location::current());
};
// Runs all passes in order, including `more`, which run only on request. A pass that leaves an
// invalid graph is named. STOKER_DUMP=passes prints the graph after each pass to stderr.
Graph run_passes(Graph graph, const Accepts& accepts, const std::vector<Pass>& more = {});

}  // namespace stoker::graph
