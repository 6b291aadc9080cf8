#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace stoker::graph {
namespace {

// Ops of every kind the planner tells apart: elementwise, with a place of its own, view.
Graph random_graph(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](size_t below) { return random() % below; };
  Graph graph;
  std::vector<ValueId> pool{graph.add_input({DType::float32, {8, 8}})};
  for (int s = 0; s < 3; ++s) {
    auto state = std::make_shared<State>();
    state->type = {DType::float32, {8, 8}};
    pool.push_back(graph.state_value(state));
  }
  const auto any = [&] { return pool[pick(pool.size())]; };
  for (int n = 0; n < 30; ++n) {
    const char* names[] = {"add", "exp", "matmul", "reshape", "softmax"};
    const std::string name = names[pick(5)];
    std::vector<ValueId> in{any()};
    if (name == "add" || name == "matmul") in.push_back(any());
    Attrs attrs;
    if (name == "reshape") attrs.set("shape", std::vector<int64_t>{8, 8});
    pool.push_back(graph.add_node(find_op(name), in, attrs)[0]);
  }
  graph.outputs = {any(), pool.back()};
  for (auto& use : graph.states)
    if (const ValueId value = any(); pick(2) == 0 && graph.value(value).origin == Origin::node)
      use.update = value;
  return graph;
}

// Runs the plan with marks instead of numbers: each place remembers which value was written last,
// and a read that finds another value's mark is a collision.
class MarkingRun {
 public:
  MarkingRun(const Graph& graph, const MemoryPlan& plan) : graph_(graph), plan_(plan) {}

  void run() {
    for (const auto& use : graph_.states) write(use.value);
    for (const Node& node : graph_.nodes) {
      if (node.op->view) {
        alias_[node.outputs[0]] = root(node.inputs[0]);
        continue;
      }
      for (ValueId v : node.inputs) expect_there(v, node.op->name);
      for (ValueId v : node.outputs) write(v);
    }
    for (const StateCopy& copy : plan_.copies) expect_there(copy.from, "copy");
    for (ValueId v : graph_.outputs)
      if (graph_.value(root(v)).origin == Origin::node) expect_there(v, "output");
  }

 private:
  using Cell = std::pair<int, int64_t>;  // kind of place, 256-byte piece or index
  ValueId root(ValueId v) const {
    const auto found = alias_.find(v);
    return found == alias_.end() ? v : found->second;
  }
  std::vector<Cell> cells(ValueId v) const {
    const Place& place = plan_.places[static_cast<size_t>(v)];
    if (place.kind != Place::arena) return {{place.kind, place.index}};
    std::vector<Cell> found;
    for (int64_t at = 0; at < graph_.type(v).bytes(); at += arena_alignment)
      found.emplace_back(place.kind, place.index + at);
    return found;
  }
  void write(ValueId v) {
    for (const Cell& cell : cells(v)) holder_[cell] = root(v);
  }
  void expect_there(ValueId v, const std::string& reader) {
    const Origin origin = graph_.value(root(v)).origin;
    if (origin == Origin::input || origin == Origin::constant) return;
    for (const Cell& cell : cells(v)) ASSERT_EQ(holder_[cell], root(v)) << reader;
  }

  const Graph& graph_;
  const MemoryPlan& plan_;
  std::map<ValueId, ValueId> alias_;
  std::map<Cell, ValueId> holder_;
};

TEST(MemoryPlan, NoLiveValueIsOverwritten) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = random_graph(seed);
    const MemoryPlan plan = plan_memory(graph, std::vector<int64_t>(graph.nodes.size(), 0));
    MarkingRun(graph, plan).run();
    if (HasFatalFailure()) return;
  }
}

TEST(MemoryPlan, AWorkspaceLiesApartFromItsNodesValues) {
  Graph graph;
  ValueId v = graph.add_input({DType::float32, {8, 8}});
  for (int n = 0; n < 4; ++n) v = graph.add_node(find_op("softmax"), {v}, {})[0];
  graph.outputs = {v};
  const MemoryPlan plan = plan_memory(graph, std::vector<int64_t>(4, 1000));
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (ValueId value : {graph.nodes[n].inputs[0], graph.nodes[n].outputs[0]}) {
      const Place& place = plan.places[static_cast<size_t>(value)];
      if (place.kind != Place::arena) continue;
      EXPECT_TRUE(place.index + 256 <= plan.workspaces[n] ||
                  plan.workspaces[n] + 1000 <= place.index);
    }
}

TEST(MemoryPlan, AChainOfElementwiseOpsNeedsOnePlace) {
  Graph graph;
  ValueId v = graph.add_input({DType::float32, {1024}});
  for (int n = 0; n < 9; ++n) v = graph.add_node(find_op("exp"), {v}, {})[0];
  graph.outputs = {v};
  EXPECT_EQ(plan_memory(graph, std::vector<int64_t>(9, 0)).arena_bytes, 4096);
}

TEST(MemoryPlan, AStateIsUpdatedInPlaceUnlessItIsReadLater) {
  for (bool read_later : {false, true}) {
    Graph graph;
    auto state = std::make_shared<State>();
    state->type = {DType::float32, {8}};
    const ValueId old = graph.state_value(state);
    const ValueId update = graph.add_node(find_op("exp"), {old}, {})[0];
    graph.use_of(state).update = update;
    if (read_later) graph.outputs = {graph.add_node(find_op("add"), {old, update}, {})[0]};
    const MemoryPlan plan = plan_memory(graph, std::vector<int64_t>(graph.nodes.size(), 0));
    EXPECT_EQ(plan.copies.size(), read_later ? 1u : 0u);
  }
}

}  // namespace
}  // namespace stoker::graph
