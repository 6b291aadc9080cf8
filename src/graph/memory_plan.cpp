#include "graph/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/round_up.h"
#include "graph/values.h"

namespace stoker::graph {
namespace {

constexpr int32_t never = -1;
constexpr int32_t step_end = std::numeric_limits<int32_t>::max();

class Planner {
 public:
  Planner(const Graph& graph, const std::vector<int64_t>& workspace, int64_t no_reuse_limit)
      : graph_(graph), workspace_(workspace), no_reuse_limit_(no_reuse_limit) {}

  MemoryPlan plan() {
    find_last_uses();
    plan_.places.resize(graph_.values.size());
    block_of_.assign(graph_.values.size(), never);
    for (size_t v = 0; v < graph_.values.size(); ++v) place_outside(static_cast<ValueId>(v));
    for (size_t n = 0; n < graph_.nodes.size(); ++n) place_node(static_cast<int32_t>(n));
    add_workspaces();
    for (const Block& block : blocks_) plan_.block_bytes += block.bytes;
    plan_.no_reuse = plan_.block_bytes <= no_reuse_limit_;
    if (plan_.no_reuse) avoid_reuse();
    assign_offsets();
    if (4 * plan_.block_bytes <= no_reuse_limit_)
      plan_.arena_bytes += plan_.double_buffer = plan_.arena_bytes;
    find_copies();
    plan_.blocks = std::move(blocks_);
    plan_.block_of = std::move(block_of_);
    plan_.workspace_bytes = workspace_;
    return std::move(plan_);
  }

 private:
  // The last use of each value's memory: uses of a view are uses of its source.
  void find_last_uses() {
    root_ = view_roots(graph_);
    last_use_.assign(graph_.values.size(), never);
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      if (!graph_.nodes[n].op->view)
        for (ValueId v : graph_.nodes[n].inputs) last_use(v) = static_cast<int32_t>(n);
    for (ValueId v : graph_.outputs) last_use(v) = step_end;
    for (const auto& use : graph_.states)
      if (use.update != no_value) last_use(use.update) = step_end;
  }
  int32_t& last_use(ValueId v) {
    return last_use_[static_cast<size_t>(root_[static_cast<size_t>(v)])];
  }
  Place& place(ValueId v) { return plan_.places[static_cast<size_t>(v)]; }

  void place_outside(ValueId v) {
    const Value& value = graph_.value(v);
    if (value.origin == Origin::input) place(v) = {Place::input, value.index};
    if (value.origin == Origin::state) place(v) = {Place::state, value.index};
    if (value.origin == Origin::constant) place(v) = {Place::constant, value.index};
  }

  void place_node(int32_t n) {
    const Node& node = graph_.nodes[static_cast<size_t>(n)];
    if (node.op->view) return share(node.outputs[0], node.inputs[0]);
    std::vector<ValueId> taken;  // inputs whose memory an output of this node already reuses
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId out = node.outputs[i];
      if (const int32_t state = state_to_overwrite(node, n, i); state != never) {
        place(out) = {Place::state, state};
        continue;
      }
      const ValueId input = input_to_reuse(node, n, i, taken);
      if (input != no_value) {
        taken.push_back(input);
        share(out, input);
        Block& block = blocks_[static_cast<size_t>(block_of_[static_cast<size_t>(out)])];
        block.last = std::max(block.last, last_use(out));
        continue;
      }
      block_of_[static_cast<size_t>(out)] = static_cast<int32_t>(blocks_.size());
      blocks_.push_back(
          {round_up(graph_.type(out).bytes(), arena_alignment), n, std::max(n, last_use(out))});
    }
  }

  void share(ValueId to, ValueId from) {
    place(to) = place(from);
    block_of_[static_cast<size_t>(to)] = block_of_[static_cast<size_t>(from)];
  }

  // Element i of this output depends on element i of that input alone, and both have the same
  // layout.
  bool lines_up(const Node& node, size_t output, size_t input) const {
    if (graph_.type(node.inputs[input]) != graph_.type(node.outputs[output])) return false;
    if (node.op->elementwise) return true;
    return output < node.op->in_place.size() &&
           node.op->in_place[output] == static_cast<int>(input);
  }

  int32_t state_to_overwrite(const Node& node, int32_t n, size_t output) {
    for (size_t s = 0; s < graph_.states.size(); ++s) {
      const StateUse& use = graph_.states[s];
      if (use.update != node.outputs[output] || last_use(use.value) > n) continue;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (root_[static_cast<size_t>(node.inputs[i])] == use.value && !lines_up(node, output, i))
          return never;
      return static_cast<int32_t>(s);
    }
    return never;
  }

  ValueId input_to_reuse(const Node& node, int32_t n, size_t output,
                         const std::vector<ValueId>& taken) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId in = node.inputs[i];
      if (place(in).kind != Place::arena || last_use(in) != n || !lines_up(node, output, i))
        continue;
      const auto same_block = [&](ValueId v) {
        return block_of_[static_cast<size_t>(v)] == block_of_[static_cast<size_t>(in)];
      };
      const bool also_read_otherwise = [&] {
        for (size_t j = 0; j < node.inputs.size(); ++j)
          if (j != i && place(node.inputs[j]).kind == Place::arena && same_block(node.inputs[j]) &&
              !lines_up(node, output, j))
            return true;
        return false;
      }();
      if (also_read_otherwise || std::any_of(taken.begin(), taken.end(), same_block)) continue;
      if (block_shared_by_live(in, n)) continue;
      return in;
    }
    return no_value;
  }

  // An output that reused this block's memory earlier may still be live.
  bool block_shared_by_live(ValueId in, int32_t n) {
    const int32_t block = block_of_[static_cast<size_t>(in)];
    return blocks_[static_cast<size_t>(block)].last > n;
  }

  void add_workspaces() {
    plan_.workspaces.assign(graph_.nodes.size(), 0);
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      if (workspace_[n] > 0) {
        workspace_block_.emplace_back(n, blocks_.size());
        blocks_.push_back({round_up(workspace_[n], arena_alignment), static_cast<int32_t>(n),
                           static_cast<int32_t>(n)});
      }
  }

  void avoid_reuse() {
    for (Block& block : blocks_) block.last = step_end;
  }

  // Largest first, each at the lowest offset that is free during its lifetime (greedy by size).
  void assign_offsets() {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return blocks_[a].bytes > blocks_[b].bytes; });
    std::vector<const Block*> placed;  // sorted by offset
    for (size_t i : order) {
      Block& block = blocks_[i];
      int64_t offset = 0;
      for (const Block* other : placed) {
        if (other->last < block.first || block.last < other->first) continue;
        if (other->offset >= offset + block.bytes) break;
        offset = std::max(offset, other->offset + other->bytes);
      }
      block.offset = offset;
      plan_.arena_bytes = std::max(plan_.arena_bytes, offset + block.bytes);
      placed.insert(
          std::upper_bound(placed.begin(), placed.end(), &block,
                           [](const Block* a, const Block* b) { return a->offset < b->offset; }),
          &block);
    }
    for (size_t v = 0; v < block_of_.size(); ++v)
      if (block_of_[v] != never)
        plan_.places[v] = {Place::arena, blocks_[static_cast<size_t>(block_of_[v])].offset};
    for (const auto& [node, block] : workspace_block_)
      plan_.workspaces[node] = blocks_[block].offset;
  }

  void find_copies() {
    for (size_t s = 0; s < graph_.states.size(); ++s) {
      const ValueId update = graph_.states[s].update;
      if (update == no_value) continue;
      const Place& at = place(update);
      if (at.kind == Place::state && at.index == static_cast<int64_t>(s)) continue;
      plan_.copies.push_back({update, static_cast<int32_t>(s)});
    }
  }

  const Graph& graph_;
  const std::vector<int64_t>& workspace_;
  int64_t no_reuse_limit_;
  MemoryPlan plan_;
  std::vector<ValueId> root_;
  std::vector<int32_t> last_use_, block_of_;
  std::vector<Block> blocks_;
  std::vector<std::pair<size_t, size_t>> workspace_block_;
};

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const std::vector<int64_t>& workspace_bytes,
                       int64_t no_reuse_limit) {
  return Planner(graph, workspace_bytes, no_reuse_limit).plan();
}

}  // namespace stoker::graph
