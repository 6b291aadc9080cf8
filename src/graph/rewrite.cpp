#include "graph/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "graph/passes/pipeline.h"
#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker::graph {

Rewriter::Rewriter(const Graph& old) : old_(old), map_(old.values.size(), no_value) {
  for (ValueId v : old.inputs) set(v, graph_.add_input(old.type(v)));
  for (const auto& use : old.states) set(use.value, graph_.state_value(use.state));
  for (size_t v = 0; v < old.values.size(); ++v)
    if (old.values[v].origin == Origin::constant)
      map_[v] = graph_.add_constant(old.constants[static_cast<size_t>(old.values[v].index)]);
}

std::vector<ValueId> Rewriter::map(const std::vector<ValueId>& old) const {
  std::vector<ValueId> now;
  for (ValueId v : old) now.push_back(map(v));
  return now;
}

void Rewriter::keep(const Node& node) {
  replace(node.outputs, *node.op, map(node.inputs), node.attrs, node.scope);
}

void Rewriter::replace(const std::vector<ValueId>& old_outputs, const Op& op,
                       std::vector<ValueId> inputs, Attrs attrs, const std::string& scope) {
  const auto outputs = graph_.add_node(op, std::move(inputs), std::move(attrs), scope);
  for (size_t i = 0; i < old_outputs.size(); ++i)
    if (old_outputs[i] != no_value) set(old_outputs[i], outputs[i]);
}

Graph Rewriter::finish() {
  for (ValueId v : old_.outputs) graph_.outputs.push_back(map(v));
  for (const auto& use : old_.states)
    if (use.update != no_value) graph_.use_of(use.state).update = map(use.update);
  return drop_unused(graph_);
}

std::vector<int32_t> count_uses(const Graph& graph) {
  std::vector<int32_t> uses(graph.values.size(), 0);
  auto count = [&](ValueId v) { ++uses[static_cast<size_t>(v)]; };
  for (const Node& node : graph.nodes) std::for_each(node.inputs.begin(), node.inputs.end(), count);
  std::for_each(graph.outputs.begin(), graph.outputs.end(), count);
  for (const auto& use : graph.states)
    if (use.update != no_value) count(use.update);
  return uses;
}

namespace {

std::vector<bool> find_live(const Graph& graph) {
  std::vector<bool> live(graph.values.size(), false);
  auto mark = [&](ValueId v) { live[static_cast<size_t>(v)] = true; };
  std::for_each(graph.outputs.begin(), graph.outputs.end(), mark);
  for (const auto& use : graph.states)
    if (use.update != no_value && use.update != use.value) mark(use.update);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
    if (std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](ValueId v) { return live[static_cast<size_t>(v)]; }))
      std::for_each(node->inputs.begin(), node->inputs.end(), mark);
  return live;
}

struct Registered {
  Pass pass;
  std::source_location place;
};
std::vector<Registered>& registry() {
  static std::vector<Registered> passes;
  return passes;
}

size_t position_of(const Pass& pass) {
  const auto& order = pipeline();
  const auto found = std::ranges::find(order, pass.name);
  if (found == order.end())
    throw Internal(
        fmt::format("pass \"{}\" is not in the list of src/graph/passes/pipeline.cpp.", pass.name));
  return static_cast<size_t>(found - order.begin());
}

void verify_after(const Pass& pass, const Graph& graph) {
  try {
    graph.verify();
  } catch (const Internal& broken) {
    throw Internal(fmt::format("pass \"{}\" left a broken graph: {}", pass.name, broken.what()));
  }
}

void dump(const std::string& title, const Graph& graph) {
  say(stderr, fmt::format("== {} ({} nodes)\n{}", title, graph.nodes.size(), graph.to_string()));
}

}  // namespace

Graph drop_unused(const Graph& graph) {
  const auto live = find_live(graph);
  auto is_live = [&](ValueId v) { return live[static_cast<size_t>(v)]; };
  Graph kept;
  std::vector<ValueId> map(graph.values.size(), no_value);
  for (ValueId v : graph.inputs) map[static_cast<size_t>(v)] = kept.add_input(graph.type(v));
  for (const auto& use : graph.states)
    if (is_live(use.value) || (use.update != no_value && use.update != use.value))
      map[static_cast<size_t>(use.value)] = kept.state_value(use.state);
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (graph.values[v].origin == Origin::constant && live[v])
      map[v] = kept.add_constant(graph.constants[static_cast<size_t>(graph.values[v].index)]);
  for (const Node& node : graph.nodes) {
    if (std::none_of(node.outputs.begin(), node.outputs.end(), is_live)) continue;
    std::vector<ValueId> inputs;
    for (ValueId v : node.inputs) inputs.push_back(map[static_cast<size_t>(v)]);
    const auto outputs = kept.add_node(*node.op, std::move(inputs), node.attrs, node.scope);
    for (size_t i = 0; i < outputs.size(); ++i)
      map[static_cast<size_t>(node.outputs[i])] = outputs[i];
  }
  for (ValueId v : graph.outputs) kept.outputs.push_back(map[static_cast<size_t>(v)]);
  for (const auto& use : graph.states)
    if (use.update != no_value && use.update != use.value)
      kept.use_of(use.state).update = map[static_cast<size_t>(use.update)];
  return kept;
}

// STOKER_SKIP_PASSES=fuse_gathers,schedule shows whether a pass causes a wrong result or lost time.
static bool is_skipped(const std::string& pass) {
  const char* named = std::getenv("STOKER_SKIP_PASSES");
  return named && ("," + std::string(named) + ",").find("," + pass + ",") != std::string::npos;
}

RegisterPass::RegisterPass(Pass pass, std::source_location place) {
  position_of(pass);
  for (const Registered& other : registry())
    if (other.pass.name == pass.name)
      throw Internal(fmt::format("two passes are named \"{}\": {}:{} and {}:{}.", pass.name,
                                 other.place.file_name(), other.place.line(), place.file_name(),
                                 place.line()));
  registry().push_back({std::move(pass), place});
}

Graph run_passes(Graph graph, const Accepts& accepts, const std::vector<Pass>& more) {
  std::vector<Pass> passes = more;
  for (const Registered& one : registry()) passes.push_back(one.pass);
  std::ranges::sort(passes, {}, position_of);
  const char* wanted = std::getenv("STOKER_DUMP");
  const bool dumping = wanted && std::string(wanted) == "passes";
  if (dumping) dump("traced", graph);
  for (const Pass& pass : passes) {
    if (is_skipped(pass.name)) continue;
    graph = pass.run(graph, accepts);
    if (dumping) dump(pass.name, graph);
    verify_after(pass, graph);
  }
  return graph;
}

}  // namespace stoker::graph
