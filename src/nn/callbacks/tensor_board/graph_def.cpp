#include "nn/callbacks/tensor_board/graph_def.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "exec/step_plan.h"
#include "io/protobuf.h"

namespace stoker::nn {
namespace {

using protobuf::field;

// Replaces characters that TensorFlow does not allow in a name.
std::string allowed(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '/' &&
        c != '-')
      c = '_';
  if (name.empty() || !std::isalnum(static_cast<unsigned char>(name[0]))) name = "n" + name;
  return name;
}

// tensorflow.AttrValue: a list of shapes.
std::string shapes_of(const graph::Graph& graph, const std::vector<graph::ValueId>& values) {
  std::string list;
  for (const graph::ValueId v : values) {
    std::string shape;
    for (const int64_t dim : graph.type(v).shape)
      shape += field(2, field(1, static_cast<uint64_t>(dim)));
    list += field(7, shape);
  }
  return field(1, list);
}

class GraphDef {
 public:
  explicit GraphDef(const graph::Graph& graph) : graph_(graph), names_(graph.values.size()) {
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      add(fmt::format("input_{}", i), "Placeholder", {}, {graph.inputs[i]});
    for (const graph::StateUse& use : graph.states)
      add(use.state->name, "Variable", {}, {use.value});
    for (const graph::Node& node : graph.nodes)
      add(exec::call_name(node), node.op->name, node.inputs, node.outputs);
  }
  std::string take() { return std::move(text_); }

 private:
  void add(const std::string& wanted, const std::string& op,
           const std::vector<graph::ValueId>& inputs, const std::vector<graph::ValueId>& outputs) {
    const std::string name = unique(allowed(wanted));
    std::string node = field(1, name) + field(2, allowed(op));
    for (const graph::ValueId v : inputs)
      if (const std::string& from = names_[static_cast<size_t>(v)]; !from.empty())
        node += field(3, from);
    node += field(5, field(1, "_output_shapes") + field(2, shapes_of(graph_, outputs)));
    text_ += field(1, node);
    for (size_t i = 0; i < outputs.size(); ++i)
      names_[static_cast<size_t>(outputs[i])] = i == 0 ? name : fmt::format("{}:{}", name, i);
  }
  std::string unique(const std::string& name) {
    std::string found = name;
    for (int i = 1; !used_.insert(found).second; ++i) found = fmt::format("{}_{}", name, i);
    return found;
  }

  const graph::Graph& graph_;
  std::vector<std::string> names_;  // by value: the name of its producer; "": a constant
  std::set<std::string> used_;
  std::string text_;
};

}  // namespace

std::string graph_def(const graph::Graph& graph) { return GraphDef(graph).take(); }

}  // namespace stoker::nn
