#include "nn/profile/step_work.h"

#include <map>

#include "nn/profile/ceilings.h"

namespace stoker::nn {
namespace {

// The dtype with the most FLOPs: its peak is the one to compare with.
DType main_dtype(const graph::Graph& graph) {
  std::map<DType, double> flops;
  for (const graph::Node& node : graph.nodes)
    flops[dtype_of(graph, node)] += graph.cost(node).flops;
  DType most = DType::float32;
  for (const auto& [dtype, count] : flops)
    if (count > flops[most]) most = dtype;
  return most;
}

void add_limits(const graph::Graph& graph, const Ceilings& ceilings, Account::Work& work) {
  std::map<std::string, double> limits;
  for (const graph::Node& node : graph.nodes) {
    if (node.op->view) continue;
    const double limit = ceilings.limit(graph.cost(node), dtype_of(graph, node)).seconds;
    work.limit += limit;
    limits[exec::call_name(node)] += limit;
  }
  double most = 0;
  for (const auto& [name, limit] : limits)
    if (limit > most) most = limit, work.op = name;
  work.peak_flops = ceilings.products(main_dtype(graph));
  work.peak_bandwidth = ceilings.memory();
}

}  // namespace

void add_work(const exec::CompiledStep& step, Account::Work& work) {
  const graph::Graph& graph = step.graph();
  work = {.cores = work.cores, .cores_used = work.cores_used};
  for (const graph::Node& node : graph.nodes) {
    if (node.op->view) continue;
    const graph::Cost cost = graph.cost(node);
    work.flops += cost.flops, work.bytes += cost.bytes;
  }
  if (const auto ceilings = Ceilings::known(step.device(), dtypes_of(graph)))
    add_limits(graph, *ceilings, work);
}

}  // namespace stoker::nn
