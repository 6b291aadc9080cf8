#include <fmt/format.h>

#include "exec/step_plan.h"

namespace stoker::exec {
namespace {

StokerTensor describe(const TensorType& type) {
  return {static_cast<int32_t>(type.dtype), type.shape.rank(), type.shape.dims().data()};
}

StokerAttr describe(const std::string& name, const graph::Attr& attr) {
  StokerAttr out{};
  out.name = name.c_str();
  if (auto* i = std::get_if<int64_t>(&attr)) {
    out.kind = stoker_int;
    out.i = *i;
  } else if (auto* f = std::get_if<double>(&attr)) {
    out.kind = stoker_float;
    out.f = *f;
  } else if (auto* s = std::get_if<std::string>(&attr)) {
    out.kind = stoker_string;
    out.s = s->c_str();
  } else if (auto* ints = std::get_if<std::vector<int64_t>>(&attr)) {
    out.kind = stoker_ints;
    out.ints = ints->data();
    out.count = static_cast<int32_t>(ints->size());
  } else if (auto* floats = std::get_if<std::vector<double>>(&attr)) {
    out.kind = stoker_floats;
    out.floats = floats->data();
    out.count = static_cast<int32_t>(floats->size());
  }
  return out;
}

}  // namespace

StokerPlan plan_node(const device::Device& device, const graph::Graph& graph,
                     const graph::Node& node) {
  std::vector<StokerTensor> inputs, outputs;
  for (graph::ValueId v : node.inputs) inputs.push_back(describe(graph.type(v)));
  for (graph::ValueId v : node.outputs) outputs.push_back(describe(graph.type(v)));
  std::vector<StokerAttr> attrs;
  for (const auto& [name, value] : node.attrs) attrs.push_back(describe(name, value));
  const StokerNode described{node.op->name.c_str(),
                             inputs.data(),
                             outputs.data(),
                             attrs.data(),
                             static_cast<int32_t>(inputs.size()),
                             static_cast<int32_t>(outputs.size()),
                             static_cast<int32_t>(attrs.size())};
  StokerPlan plan{};
  if (device.table().plan(device.index, &described, &plan) != 0) {
    Unsupported error(fmt::format("{} cannot run \"{}\": {}", device.name(), node.op->name,
                                  device.table().last_error()));
    if (!node.scope.empty()) error.add_where("layer \"" + node.scope + "\"");
    throw error;
  }
  return plan;
}

}  // namespace stoker::exec
