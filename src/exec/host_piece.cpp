#include "exec/host_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/round_up.h"
#include "graph/values.h"

namespace stoker::exec {
namespace {

using graph::index_of;
using graph::ValueId;

// The offset of each value of the piece in the staging memory. Views have their source's offset. A
// result that reuses its operand's memory in the memory plan reuses it here, too.
class Staging {
 public:
  Staging(const StepPlan& plan, const std::vector<size_t>& nodes)
      : plan_(plan), slot_(view_roots(plan.graph)), offset_(slot_.size(), -1) {
    for (size_t n : nodes) share_in_place(plan.graph.nodes[n]);
  }

  ValueId slot(ValueId v) const { return slot_[index_of(v)]; }
  // Assigns an offset; true the first time.
  bool place(ValueId v) {
    int64_t& offset = offset_[index_of(slot(v))];
    if (offset >= 0) return false;
    check_length(plan_.graph.type(v));
    offset = bytes_;
    bytes_ += round_up(plan_.graph.type(v).bytes(), graph::arena_alignment);
    return true;
  }
  int64_t add_workspace(uint64_t bytes) {
    return std::exchange(bytes_,
                         bytes_ + round_up(static_cast<int64_t>(bytes), graph::arena_alignment));
  }
  int64_t offset(ValueId v) const { return offset_[index_of(slot(v))]; }
  int64_t bytes() const { return bytes_; }

 private:
  // A step must never copy a whole data set.
  void check_length(const TensorType& type) const {
    if (type.shape.is_known()) return;
    throw Unsupported(
        fmt::format("{} cannot gather the samples of a batch from {} and the CPU does "
                    "not do it instead.",
                    plan_.device.name(), to_string(type)),
        "use shuffle=False, or a Dataset.");
  }
  void share_in_place(const graph::Node& node) {
    const auto& in_place = node.op->in_place;
    for (size_t i = 0; i < std::min(in_place.size(), node.outputs.size()); ++i) {
      if (in_place[i] < 0) continue;
      const ValueId in = node.inputs[static_cast<size_t>(in_place[i])], out = node.outputs[i];
      const auto &from = plan_.memory.places[index_of(in)],
                 &to = plan_.memory.places[index_of(out)];
      if (from.kind != to.kind || from.index != to.index) continue;
      std::replace(slot_.begin(), slot_.end(), slot(out), slot(in));
    }
  }

  const StepPlan& plan_;
  std::vector<ValueId> slot_;
  std::vector<int64_t> offset_;
  int64_t bytes_ = 0;
};

// Values that are read outside the piece, with views resolved to their sources.
std::set<ValueId> read_outside(const graph::Graph& graph, const std::vector<size_t>& nodes) {
  const std::vector<ValueId> root = view_roots(graph);
  const auto root_of = [&](ValueId v) { return root[index_of(v)]; };
  const std::set<size_t> inside(nodes.begin(), nodes.end());
  std::set<ValueId> read;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (!node.op->view && !inside.contains(n))
      for (ValueId v : node.inputs) read.insert(root_of(v));
  }
  for (ValueId v : graph.outputs) read.insert(root_of(v));
  for (const auto& use : graph.states)
    if (use.update != graph::no_value) read.insert(root_of(use.update));
  return read;
}

}  // namespace

HostPiece::HostPiece(const StepPlan& plan, size_t first, size_t last, const PointerOf& pointer)
    : device_(plan.device), host_(plan.kernels[first].device()), memory_(host_) {
  std::vector<size_t> nodes;
  for (size_t n = first; n < last; ++n)
    if (!plan.graph.nodes[n].op->view) nodes.push_back(n);
  Staging staging(plan, nodes);
  const std::set<ValueId> read = read_outside(plan.graph, nodes);
  std::vector<ValueId> fetched, sent;
  std::vector<int64_t> workspaces;
  for (size_t n : nodes) {
    for (ValueId v : plan.graph.nodes[n].inputs)
      if (staging.place(v)) fetched.push_back(v);
    for (ValueId v : plan.graph.nodes[n].outputs) {
      staging.place(v);
      if (read.contains(v)) sent.push_back(v);
    }
    workspaces.push_back(staging.add_workspace(plan.kernels[n].plan().workspace));
  }
  staging_ = device::Buffer(host_, static_cast<uint64_t>(staging.bytes()),
                            "ops that run on the CPU for a device", device::MemoryKind::workspace);
  auto* base = static_cast<std::byte*>(staging_.data());
  const auto at = [&](ValueId v) { return base + staging.offset(v); };
  const auto transfer = [&](ValueId v) {
    return Transfer{pointer(v), at(v), static_cast<uint64_t>(plan.graph.type(v).bytes())};
  };
  for (ValueId v : fetched) in_.push_back(transfer(v));
  for (ValueId v : sent) out_.push_back(transfer(v));
  std::vector<void*> scratch;
  for (const int64_t offset : workspaces) scratch.push_back(base + offset);
  create_program(plan, nodes, scratch, at);
}

void HostPiece::create_program(const StepPlan& plan, const std::vector<size_t>& nodes,
                               const std::vector<void*>& workspaces,
                               const std::function<std::byte*(ValueId)>& at) {
  std::vector<std::vector<StokerPointer>> arguments(nodes.size());
  std::vector<std::string> names(nodes.size());
  std::vector<StokerCall> calls;
  for (size_t c = 0; c < nodes.size(); ++c) {
    const graph::Node& node = plan.graph.nodes[nodes[c]];
    for (const auto* values : {&node.inputs, &node.outputs})
      for (ValueId v : *values) arguments[c].push_back({at(v), -1});
    names[c] = call_name(node);
    calls.push_back({.kernel = plan.kernels[nodes[c]].plan().kernel,
                     .arguments = arguments[c].data(),
                     .num_arguments = static_cast<int32_t>(arguments[c].size()),
                     .workspace = workspaces[c],
                     .name = names[c].c_str(),
                     .node = static_cast<int32_t>(nodes[c])});
  }
  program_ = host_.table().create_program(host_.index, calls.data(),
                                          static_cast<int32_t>(calls.size()), memory_.allocator());
  if (!program_)
    throw DeviceError(fmt::format("{} cannot build its part of the step: {}", host_.name(),
                                  host_.table().last_error()));
}

HostPiece::~HostPiece() {
  if (program_) host_.table().release_program(program_);
}

void HostPiece::copy(const Transfer& transfer, void* const* inputs, StokerCopyKind kind) const {
  void* there =
      transfer.device.input >= 0 ? inputs[transfer.device.input] : transfer.device.address;
  const bool up = kind == stoker_host_to_device;
  device::check(device_,
                device_.table().copy(device_.index, up ? there : transfer.host,
                                     up ? transfer.host : there, transfer.bytes, kind),
                up ? "copying a result of the CPU to the device" : "copying operands to the CPU");
}

void HostPiece::run(void* const* inputs) const {
  for (const Transfer& transfer : in_) copy(transfer, inputs, stoker_device_to_host);
  const StokerRun once{nullptr, nullptr, 1};
  device::check(host_, host_.table().run_program(program_, &once), "running a part of a step");
  for (const Transfer& transfer : out_) copy(transfer, inputs, stoker_host_to_device);
}

}  // namespace stoker::exec
