#include "nn/profile/layer_costs.h"

#include <algorithm>
#include <map>

#include "exec/compiled_step.h"
#include "nn/profile/ceilings.h"

namespace stoker::nn {
namespace {

using Cost = RunRecord::Cost;
constexpr std::string_view backward = ":grad";

void add(Cost& to, const Cost& cost) {
  to.calls += cost.calls;
  to.flops += cost.flops;
  to.bytes += cost.bytes;
  to.seconds += cost.seconds;
  to.limit += cost.limit;
}

// Costs by layer and op.
class Table {
 public:
  void add(const std::string& layer, const Cost& cost) {
    const auto [at, added] = places_.try_emplace(layer, rows_.size());
    if (added) rows_.push_back({{.name = layer}, {}});
    RunRecord::Layer& row = rows_[at->second];
    nn::add(row.cost, cost);
    if (cost.limit > longest_[layer]) {
      longest_[layer] = cost.limit;
      row.cost.bound = cost.bound;
    }
    for (Cost& op : row.ops)
      if (op.name == cost.name) return nn::add(op, cost);
    row.ops.push_back(cost);
  }
  std::vector<RunRecord::Layer> take() {
    const auto longest = [](const Cost& a, const Cost& b) {
      return std::pair(a.seconds, a.limit) > std::pair(b.seconds, b.limit);
    };
    for (RunRecord::Layer& row : rows_) std::ranges::stable_sort(row.ops, longest);
    std::ranges::stable_sort(rows_, longest, &RunRecord::Layer::cost);
    return std::move(rows_);
  }

 private:
  std::vector<RunRecord::Layer> rows_;
  std::map<std::string, size_t> places_;
  // the op with the longest limit determines what bounds its layer
  std::map<std::string, double> longest_;
};

// Total seconds of all calls, by node; calls without a node by name.
struct Measured {
  std::map<std::pair<int32_t, std::string>, std::pair<int64_t, double>> calls;
  explicit Measured(const ProfiledSteps& profile) {
    for (const device::Span& span : profile.calls) {
      auto& [count, seconds] = calls[{span.node, span.name}];
      ++count;
      seconds += static_cast<double>(span.end - span.begin) * 1e-9;
    }
  }
  double take(int32_t node, const std::string& name) {
    const auto found = calls.find({node, name});
    if (found == calls.end()) return 0;
    const double seconds = found->second.second;
    calls.erase(found);
    return seconds;
  }
};

// "model/dense:grad/matmul" is the layer "model/dense" and the op "matmul, backward".
struct Name {
  std::string layer, op;
  explicit Name(const std::string& call) {
    const size_t slash = call.rfind('/');
    layer = slash == call.npos ? "" : call.substr(0, slash);
    op = slash == call.npos ? call : call.substr(slash + 1);
    if (!layer.ends_with(backward)) return;
    layer.resize(layer.size() - backward.size());
    op += ", backward";
  }
};

}  // namespace

void add_layers(RunRecord& run, const exec::CompiledStep& step, const ProfiledSteps& profile,
                bool may_measure) {
  const graph::Graph& graph = step.graph();
  std::optional<Ceilings> ceilings;
  if (may_measure && !profile.calls.empty()) ceilings.emplace(step.device(), dtypes_of(graph));
  if (ceilings) run.profile.ceilings = ceilings->all();
  Measured measured(profile);
  const double steps = static_cast<double>(std::max<size_t>(profile.steps.size(), 1));
  Table table;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (node.op->view) continue;
    const graph::Cost cost = graph.cost(node);
    const std::string call = exec::call_name(node);
    const auto limit = ceilings ? ceilings->limit(cost, dtype_of(graph, node)) : Ceilings::Limit{};
    const double seconds = measured.take(static_cast<int32_t>(n), call) / steps;
    table.add(Name(call).layer,
              {Name(call).op, 1, cost.flops, cost.bytes, seconds, limit.seconds, limit.bound});
  }
  for (const auto& [key, calls] : measured.calls)  // copies of states, and steps of other shapes
    table.add(Name(key.second).layer,
              {.name = Name(key.second).op,
               .calls = static_cast<int64_t>(static_cast<double>(calls.first) / steps + 0.5),
               .seconds = calls.second / steps});
  run.layers = table.take();
}

}  // namespace stoker::nn
