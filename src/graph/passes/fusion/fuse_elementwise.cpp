#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/passes/backward.h"
#include "graph/passes/fusion/clusters.h"
#include "graph/passes/late_gradients.h"
#include "graph/passes/match.h"
#include "graph/values.h"

// Connected elementwise nodes become one fused_elementwise node: one pass over memory instead of
// one per node.
namespace stoker::graph {
namespace {

constexpr size_t max_inputs = 24, max_instructions = 48;
// Scalars cost only the launch, so as many as possible share one.
constexpr size_t max_scalar_inputs = 96, max_scalar_instructions = 128;

// The program of one cluster, in the old graph's values.
struct Program {
  std::vector<ValueId> inputs, outputs;
  std::vector<int64_t> results;
  std::string text;
};

class ElementwiseFuser {
 public:
  ElementwiseFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph), accepts_(accepts), clusters_(graph), forward_(find_forward(graph)) {
    readers_ = readers_of_values(graph);
    is_result_.assign(graph.values.size(), false);
    for (ValueId v : graph.outputs) is_result_[index_of(v)] = true;
    for (const auto& use : graph.states)
      if (use.update != no_value) is_result_[index_of(use.update)] = true;
    for (const Node& node : graph.nodes) fusible_.push_back(can_fuse(node));
    late_gradient_ = find_late_gradients(graph, fusible_);
  }

  Graph run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      if (fusible_[n]) join_producers(static_cast<int32_t>(n));
    join_scalars();
    Rewriter rewriter(graph_);
    for (int32_t cluster : clusters_.order()) emit(rewriter, clusters_.members(cluster));
    return rewriter.finish();
  }

 private:
  const Node& node(int32_t n) const { return graph_.nodes[index_of(n)]; }
  const Shape& shape(int32_t n) const { return graph_.type(node(n).outputs[0]).shape; }

  bool can_fuse(const Node& n) const {
    return n.op->elementwise && n.outputs.size() == 1 && n.op->name != "fused_elementwise" &&
           graph_.type(n.outputs[0]).shape.size() > 0 && accepts_(graph_, n);
  }

  void join_producers(int32_t n) {
    for (ValueId v : node(n).inputs) {
      const Value& value = graph_.value(v);
      if (value.origin == Origin::node && fusible_[index_of(value.index)] &&
          !is_late(n, value.index))
        try_merge(clusters_.of(n), clusters_.of(value.index));
    }
  }

  bool is_late(int32_t n, int32_t producer) const {
    return late_gradient_[index_of(n)] && forward_[index_of(producer)];
  }

  // All values with one element: counters, learning rates, metrics.
  void join_scalars() {
    std::vector<int32_t> groups;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto at = static_cast<int32_t>(n);
      if (!fusible_[n] || shape(at).rank() != 0) continue;
      const int32_t own = clusters_.of(at);
      if (std::find(groups.begin(), groups.end(), own) != groups.end()) continue;
      if (std::none_of(groups.begin(), groups.end(), [&](int32_t g) { return try_merge(g, own); }))
        groups.push_back(own);
    }
  }

  bool try_merge(int32_t a, int32_t b) {
    if (a == b || shape(clusters_.members(a)[0]) != shape(clusters_.members(b)[0])) return false;
    std::vector<int32_t> both = clusters_.members(a);
    both.insert(both.end(), clusters_.members(b).begin(), clusters_.members(b).end());
    const bool scalar = shape(both[0]).size() == 1;
    if (both.size() > (scalar ? max_scalar_instructions : max_instructions)) return false;
    std::sort(both.begin(), both.end());
    if (inputs_of(both).size() > (scalar ? max_scalar_inputs : max_inputs)) return false;
    if (!clusters_.can_merge(a, b)) return false;
    clusters_.merge(a, b);
    return true;
  }

  // A program broadcasts its inputs itself, so it reads the input of a broadcast_to.
  ValueId behind_broadcast(ValueId v) const {
    const Node* producer = graph_.producer(v);
    return producer && producer->op->name == "broadcast_to" ? behind_broadcast(producer->inputs[0])
                                                            : v;
  }

  std::vector<ValueId> inputs_of(const std::vector<int32_t>& members) const {
    std::vector<ValueId> inputs;
    for (int32_t n : members)
      for (ValueId v : node(n).inputs) {
        const ValueId source = behind_broadcast(v);
        if (!is_inside(members, source) &&
            std::find(inputs.begin(), inputs.end(), source) == inputs.end())
          inputs.push_back(source);
      }
    return inputs;
  }

  Program program_of(const std::vector<int32_t>& members) const {
    Program program;
    program.inputs = inputs_of(members);
    std::map<ValueId, int64_t> numbers;
    for (ValueId v : program.inputs) numbers.emplace(v, numbers.size());
    auto next = static_cast<int64_t>(program.inputs.size());
    for (int32_t n : members) {
      const bool is_output = is_read_outside(members, n);
      if (node(n).op->name == "broadcast_to" && !is_output) continue;  // read at its source
      program.text += program.text.empty() ? "" : ";";
      program.text +=
          fmt::format("{}:{}", node(n).op->name, name_of(graph_.type(node(n).outputs[0]).dtype));
      for (ValueId v : node(n).inputs)
        program.text += fmt::format(" {}", numbers.at(behind_broadcast(v)));
      if (is_output) {
        program.outputs.push_back(node(n).outputs[0]);
        program.results.push_back(next);
      }
      numbers[node(n).outputs[0]] = next++;
    }
    return program;
  }

  bool is_inside(const std::vector<int32_t>& members, ValueId v) const {
    const Value& value = graph_.value(v);
    return value.origin == Origin::node &&
           std::binary_search(members.begin(), members.end(), value.index);
  }

  bool is_read_outside(const std::vector<int32_t>& members, int32_t n) const {
    const ValueId v = node(n).outputs[0];
    return is_result_[index_of(v)] ||
           std::any_of(readers_[index_of(v)].begin(), readers_[index_of(v)].end(),
                       [&](int32_t reader) {
                         if (std::binary_search(members.begin(), members.end(), reader))
                           return false;
                         // Fused readers of a broadcast read its source.
                         return node(n).op->name != "broadcast_to" || !fusible_[index_of(reader)];
                       });
  }

  bool reads_broadcast(int32_t n) const {
    const auto& in = node(n).inputs;
    return std::any_of(in.begin(), in.end(), [&](ValueId v) { return behind_broadcast(v) != v; });
  }

  void emit(Rewriter& rewriter, const std::vector<int32_t>& members) const {
    if (members.size() == 1 && !(fusible_[index_of(members[0])] && reads_broadcast(members[0])))
      return rewriter.keep(node(members[0]));
    // For readers that cannot broadcast; without one these are dropped.
    for (int32_t n : members)
      if (node(n).op->name == "broadcast_to") rewriter.keep(node(n));
    const Program program = program_of(members);
    if (program.outputs.empty()) return;
    const auto fused = try_fuse(rewriter, program, node(members.back()));
    for (size_t i = 0; i < fused.size(); ++i) rewriter.set(program.outputs[i], fused[i]);
    if (fused.empty())
      for (int32_t n : members) rewriter.keep(node(n));
  }

  std::vector<ValueId> try_fuse(Rewriter& rewriter, const Program& program,
                                const Node& last) const {
    return try_add(rewriter, accepts_, "fused_elementwise", rewriter.map(program.inputs),
                   {{"program", program.text},
                    {"results", program.results},
                    {"shape", graph_.type(last.outputs[0]).shape.dims()}},
                   last.scope);
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Clusters clusters_;
  std::vector<std::vector<int32_t>> readers_;
  const std::vector<bool> forward_;
  std::vector<bool> is_result_, fusible_, late_gradient_;
};

const RegisterPass registered{{"fuse_elementwise", [](const Graph& graph, const Accepts& accepts) {
                                 return ElementwiseFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
