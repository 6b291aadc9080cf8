#include "graph/call_order.h"

#include <algorithm>
#include <iterator>

namespace stoker::graph {
namespace {

// A byte range of the arena; past its end, each state is one byte.
struct Span {
  int64_t begin, end;
};
using Spans = std::vector<Span>;

struct Touched {
  Spans reads, writes;
};

bool overlap(const Spans& a, const Spans& b) {
  return std::any_of(a.begin(), a.end(), [&](const Span& x) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Span& y) { return x.begin < y.end && y.begin < x.end; });
  });
}

bool collide(const Touched& earlier, const Touched& later) {
  return overlap(earlier.writes, later.reads) || overlap(earlier.writes, later.writes) ||
         overlap(earlier.reads, later.writes);
}

// Inputs and constants are never written, so they order nothing.
class Spanner {
 public:
  Spanner(const Graph& graph, const MemoryPlan& plan) : graph_(graph), plan_(plan) {}

  Touched of_node(int32_t n) const {
    const Node& node = graph_.nodes[static_cast<size_t>(n)];
    Touched touched;
    for (ValueId v : node.inputs) add(touched.reads, v);
    for (ValueId v : node.outputs) add(touched.writes, v);
    const int64_t workspace = plan_.workspaces[static_cast<size_t>(n)],
                  bytes = plan_.workspace_bytes[static_cast<size_t>(n)];
    if (bytes > 0) touched.writes.push_back({workspace, workspace + bytes});
    return touched;
  }
  Touched of_copy(const StateCopy& copy) const {
    Touched touched;
    add(touched.reads, copy.from);
    touched.writes.push_back(of_state(copy.state));
    return touched;
  }

 private:
  Span of_state(int64_t index) const {
    return {plan_.arena_bytes + index, plan_.arena_bytes + index + 1};
  }
  void add(Spans& spans, ValueId v) const {
    const Place& place = plan_.places[static_cast<size_t>(v)];
    if (place.kind == Place::arena)
      spans.push_back({place.index, place.index + graph_.type(v).bytes()});
    if (place.kind == Place::state) spans.push_back(of_state(place.index));
  }

  const Graph& graph_;
  const MemoryPlan& plan_;
};

// The transitive closure of the waits.
using Waits = std::vector<std::vector<bool>>;

// Latest first: a call that waits for another one waits for that one's predecessors, too.
Waits find_predecessors(std::vector<Call>& calls, const std::vector<Touched>& touched) {
  Waits waits(calls.size(), std::vector<bool>(calls.size()));
  for (size_t i = 0; i < calls.size(); ++i)
    for (size_t j = i; j-- > 0;) {
      if (waits[i][j] || !collide(touched[j], touched[i])) continue;
      calls[i].after.push_back(static_cast<int32_t>(j));
      waits[i][j] = true;
      for (size_t k = 0; k < j; ++k)
        if (waits[j][k]) waits[i][k] = true;
    }
  return waits;
}

Touched states_of(const Touched& touched, int64_t arena_bytes) {
  Touched states;
  const auto is_state = [&](const Span& span) { return span.begin >= arena_bytes; };
  std::copy_if(touched.reads.begin(), touched.reads.end(), std::back_inserter(states.reads),
               is_state);
  std::copy_if(touched.writes.begin(), touched.writes.end(), std::back_inserter(states.writes),
               is_state);
  return states;
}

// The latest calls of the previous step that use a state which the call uses.
void find_previous(std::vector<Call>& calls, const std::vector<Touched>& touched,
                   int64_t arena_bytes, const Waits& waits) {
  std::vector<Touched> states;
  for (const Touched& one : touched) states.push_back(states_of(one, arena_bytes));
  for (size_t i = 0; i < calls.size(); ++i) {
    std::vector<bool> awaited(calls.size());
    for (size_t j = calls.size(); j-- > 0;) {
      if (awaited[j] || !collide(states[j], states[i])) continue;
      calls[i].after_previous.push_back(static_cast<int32_t>(j));
      for (size_t k = 0; k < j; ++k)
        if (waits[j][k]) awaited[k] = true;
    }
  }
}

// All-reduces, which mostly wait for other ranks, run concurrently with the sequential calls: each
// waits for the latest call that shares memory with it, and later calls that share memory with it
// wait for it.
void order_sequentially(std::vector<Call>& calls, const std::vector<Touched>& touched,
                        const std::vector<bool>& concurrent) {
  int32_t latest = -1;  // of the sequential calls
  for (size_t c = 0; c < calls.size(); ++c) {
    if (!concurrent[c] && latest >= 0) calls[c].after.push_back(latest);
    bool finds_sequential = !concurrent[c];
    for (size_t j = c; j-- > 0;) {
      if ((!concurrent[j] && finds_sequential) || !collide(touched[j], touched[c])) continue;
      calls[c].after.push_back(static_cast<int32_t>(j));
      if (!concurrent[j]) finds_sequential = true;
    }
    if (!concurrent[c]) latest = static_cast<int32_t>(c);
  }
}

}  // namespace

std::vector<Call> order_calls(const Graph& graph, const MemoryPlan& plan, size_t first, size_t last,
                              bool side_by_side) {
  const Spanner spanner(graph, plan);
  std::vector<Call> calls;
  std::vector<Touched> touched;
  for (size_t n = first; n < last; ++n) {
    if (graph.nodes[n].op->view) continue;
    calls.push_back({.node = static_cast<int32_t>(n)});
    touched.push_back(spanner.of_node(calls.back().node));
  }
  for (size_t c = 0; last == graph.nodes.size() && c < plan.copies.size(); ++c) {
    calls.push_back({.copy = static_cast<int32_t>(c)});
    touched.push_back(spanner.of_copy(plan.copies[c]));
  }
  if (!side_by_side) {
    std::vector<bool> concurrent;
    for (const Call& call : calls)
      concurrent.push_back(call.node >= 0 &&
                           graph.nodes[static_cast<size_t>(call.node)].op->name == "all_reduce");
    order_sequentially(calls, touched, concurrent);
    return calls;
  }
  const Waits waits = find_predecessors(calls, touched);
  if (plan.double_buffer > 0) find_previous(calls, touched, plan.arena_bytes, waits);
  return calls;
}

}  // namespace stoker::graph
