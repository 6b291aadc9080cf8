#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "graph/call_order.h"

namespace stoker::graph {
namespace {

// Ops of every kind that the planner distinguishes: elementwise, not in place, view.
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
  const auto is_computed = [&](ValueId v) {  // a pass copies the old value of another state
    while (graph.producer(v) && graph.producer(v)->op->view) v = graph.producer(v)->inputs[0];
    return graph.value(v).origin == Origin::node;
  };
  for (auto& use : graph.states)
    if (const ValueId value = any(); pick(2) == 0 && is_computed(value)) use.update = value;
  return graph;
}

// Simulates the plan with marks instead of numbers: each place stores which value of which step was
// written last, and a read that finds another mark is a conflict.
class MarkingRun {
 public:
  MarkingRun(const Graph& graph, const MemoryPlan& plan) : graph_(graph), plan_(plan) {
    for (const Node& node : graph_.nodes)
      if (node.op->view) alias_[node.outputs[0]] = root(node.inputs[0]);
    calls_ = order_calls(graph_, plan_, 0, graph_.nodes.size(), true);
  }

  // In any order that the calls allow. Without a double buffer a step begins when the previous one
  // has ended.
  void run(std::mt19937& random, int steps) {
    for (const auto& use : graph_.states) write(use.value, 0);
    done_.assign(static_cast<size_t>(steps), std::vector<bool>(calls_.size()));
    for (size_t ran = 0; ran < calls_.size() * done_.size(); ++ran) {
      std::vector<std::pair<size_t, size_t>> ready;
      for (size_t step = 0; step < done_.size(); ++step)
        for (size_t c = 0; c < calls_.size(); ++c)
          if (!done_[step][c] && is_ready(step, c)) ready.emplace_back(step, c);
      ASSERT_FALSE(ready.empty());
      const auto [step, c] = ready[random() % ready.size()];
      run(calls_[c], static_cast<int>(step));
      done_[step][c] = true;
    }
    for (ValueId v : graph_.outputs)
      if (graph_.value(root(v)).origin == Origin::node) expect_there(v, steps - 1, "output");
  }

 private:
  using Cell = std::tuple<int, int64_t, int>;  // kind of place, 256-byte piece or index, buffer
  using Mark = std::pair<ValueId, int>;        // a value and its step; of a state how often written

  bool is_over(size_t step) const {
    return std::all_of(done_[step].begin(), done_[step].end(), [](bool done) { return done; });
  }
  bool is_ready(size_t step, size_t c) const {
    const auto all_done = [&](size_t of, const std::vector<int32_t>& calls) {
      return std::all_of(calls.begin(), calls.end(),
                         [&](int32_t a) { return done_[of][static_cast<size_t>(a)]; });
    };
    if (!all_done(step, calls_[c].after)) return false;
    if (step > 0 && plan_.double_buffer == 0) return is_over(step - 1);
    if (step > 0 && !all_done(step - 1, calls_[c].after_previous)) return false;
    return !calls_[c].after.empty() || step < 2 || is_over(step - 2);
  }

  void run(const Call& call, int step) {
    if (call.copy >= 0) {
      const StateCopy& copy = plan_.copies[static_cast<size_t>(call.copy)];
      expect_there(copy.from, step, "copy");
      holder_[{Place::state, copy.state, 0}] = {no_value, step + 1};
      return;
    }
    const auto n = static_cast<size_t>(call.node);
    const Node& node = graph_.nodes[n];
    for (ValueId v : node.inputs) expect_there(v, step, node.op->name);
    for (int64_t at = 0; at < plan_.workspace_bytes[n]; at += arena_alignment)
      holder_[{Place::arena, plan_.workspaces[n] + at, buffer_of(step)}] = {no_value, step};
    for (ValueId v : node.outputs) write(v, step);
  }

  ValueId root(ValueId v) const {
    const auto found = alias_.find(v);
    return found == alias_.end() ? v : found->second;
  }
  int buffer_of(int step) const { return plan_.double_buffer > 0 ? step % 2 : 0; }
  std::vector<Cell> cells(ValueId v, int step) const {
    const Place& place = plan_.places[static_cast<size_t>(v)];
    if (place.kind != Place::arena) return {{place.kind, place.index, 0}};
    std::vector<Cell> found;
    for (int64_t at = 0; at < graph_.type(v).bytes(); at += arena_alignment)
      found.emplace_back(place.kind, place.index + at, buffer_of(step));
    return found;
  }
  Mark mark(ValueId v, int step) const {
    const Place& place = plan_.places[static_cast<size_t>(v)];
    if (place.kind != Place::state) return {root(v), step};
    const bool is_updated = graph_.states[static_cast<size_t>(place.index)].update != no_value;
    const bool is_new = graph_.value(root(v)).origin != Origin::state;
    return {no_value, is_updated ? step + is_new : 0};
  }
  void write(ValueId v, int step) {
    for (const Cell& cell : cells(v, step)) holder_[cell] = mark(v, step);
  }
  void expect_there(ValueId v, int step, const std::string& reader) {
    const Origin origin = graph_.value(root(v)).origin;
    if (origin == Origin::input || origin == Origin::constant) return;
    for (const Cell& cell : cells(v, step))
      ASSERT_EQ(holder_[cell], mark(v, step)) << reader << " in step " << step;
  }

  const Graph& graph_;
  const MemoryPlan& plan_;
  std::vector<Call> calls_;
  std::vector<std::vector<bool>> done_;  // by step
  std::map<ValueId, ValueId> alias_;
  std::map<Cell, Mark> holder_;
};

TEST(MemoryPlan, NoLiveValueIsOverwrittenInAnyOrderThatTheCallsAllow) {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Graph graph = random_graph(seed);
    std::vector<int64_t> workspace;
    for (size_t n = 0; n < graph.nodes.size(); ++n) workspace.push_back(random() % 3 * 200);
    const int64_t no_reuse_limit = seed % 3 == 0 ? 1 << 20 : seed % 3 == 1 ? 1 << 15 : 0;
    const MemoryPlan plan = plan_memory(graph, workspace, no_reuse_limit);
    for (int steps = 1; steps <= 4; ++steps) MarkingRun(graph, plan).run(random, steps);
    if (HasFatalFailure()) return;
  }
}

TEST(CallOrder, WhatSharesNothingWaitsForNothing) {
  Graph graph;
  const ValueId x = graph.add_input({DType::float32, {8, 8}});
  const auto add = [&](ValueId v) { return graph.add_node(find_op("softmax"), {v}, {})[0]; };
  const ValueId left = add(x), right = add(x);
  graph.outputs = {add(left), add(right)};
  const std::vector<int64_t> workspace(4, 0);
  const auto concurrent = order_calls(graph, plan_memory(graph, workspace, 1 << 20), 0, 4, true);
  using After = std::vector<int32_t>;
  EXPECT_EQ(concurrent[1].after, After{});
  EXPECT_EQ(concurrent[2].after, After{0});
  EXPECT_EQ(concurrent[3].after, After{1});
  // With memory reuse the last result is stored where the left one was.
  const auto packed = order_calls(graph, plan_memory(graph, workspace), 0, 4, true);
  EXPECT_EQ(packed[3].after, (After{2, 1}));
}

// In a sequential plan, too: calls that do not read the sum run meanwhile.
TEST(CallOrder, ASumOverRanksRunsBesideTheRow) {
  Graph graph;
  const ValueId x = graph.add_input({DType::float32, {8, 8}});
  const auto add = [&](const char* op, std::vector<ValueId> in) {
    return graph.add_node(find_op(op), std::move(in), {})[0];
  };
  const ValueId first = add("softmax", {x}), gradient = add("softmax", {first});
  const ValueId sum = add("all_reduce", {gradient}), other = add("softmax", {first});
  graph.outputs = {add("matmul", {sum, other})};
  const MemoryPlan plan = plan_memory(graph, std::vector<int64_t>(5, 0));
  EXPECT_EQ(plan.places[static_cast<size_t>(sum)].index,
            plan.places[static_cast<size_t>(gradient)].index);
  const auto calls = order_calls(graph, plan, 0, 5, false);
  using After = std::vector<int32_t>;
  EXPECT_EQ(calls[2].after, After{1});
  EXPECT_EQ(calls[3].after, After{1});
  EXPECT_EQ(calls[4].after, (After{3, 2}));
}

TEST(CallOrder, AStateIsReadBeforeItsNewValueIsWritten) {
  Graph graph;
  auto state = std::make_shared<State>();
  state->type = {DType::float32, {8, 8}};
  const ValueId old = graph.state_value(state), x = graph.add_input(state->type);
  graph.outputs = {graph.add_node(find_op("softmax"), {old}, {})[0]};
  graph.use_of(state).update = graph.add_node(find_op("exp"), {x}, {})[0];
  const auto calls = order_calls(graph, plan_memory(graph, {0, 0}), 0, 2, true);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].after, std::vector<int32_t>{0});
}

TEST(CallOrder, ANextStepMayBeginWhereItReadsNothingOfTheLast) {
  Graph graph;
  auto state = std::make_shared<State>();
  state->type = {DType::float32, {8, 8}};
  const ValueId old = graph.state_value(state), x = graph.add_input(state->type);
  const ValueId gathered = graph.add_node(find_op("softmax"), {x}, {})[0];
  graph.use_of(state).update = graph.add_node(find_op("matmul"), {gathered, old}, {})[0];
  const auto calls = order_calls(graph, plan_memory(graph, {0, 0}, 1 << 20), 0, 2, true);
  ASSERT_EQ(calls.size(), 3u);  // the product cannot be written over its operand
  EXPECT_TRUE(calls[0].after_previous.empty());
  EXPECT_EQ(calls[1].after_previous, std::vector<int32_t>{2});
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
