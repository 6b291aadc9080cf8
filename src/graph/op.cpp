#include "graph/op.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "stoker/error.h"

namespace stoker::graph {
namespace {
// A function-local map: registrars of other files may run before this file's own statics.
std::map<std::string, std::unique_ptr<Op>, std::less<>>& registry() {
  static std::map<std::string, std::unique_ptr<Op>, std::less<>> ops;
  return ops;
}
}  // namespace

RegisterOp::RegisterOp(Op op, std::source_location place) {
  op.place = place;
  const std::string name = op.name;
  const auto [found, added] = registry().emplace(name, std::make_unique<Op>(std::move(op)));
  if (!added)
    throw Internal(fmt::format("two ops are named \"{}\": {}:{} and {}:{}.", name,
                               found->second->place.file_name(), found->second->place.line(),
                               place.file_name(), place.line()));
}

const Op& find_op(std::string_view name) {
  auto found = registry().find(name);
  if (found == registry().end()) throw Internal(fmt::format("no op is named \"{}\".", name));
  return *found->second;
}

std::vector<const Op*> all_ops() {
  std::vector<const Op*> ops;
  for (const auto& [name, op] : registry()) ops.push_back(op.get());
  return ops;
}

double bytes_of(std::span<const TensorType> types) {
  double bytes = 0;
  for (const TensorType& type : types) bytes += static_cast<double>(type.bytes());
  return bytes;
}

Cost cost_of(const Op& op, std::span<const TensorType> in, std::span<const TensorType> out,
             const Attrs& attrs) {
  Cost cost;
  if (op.view) return cost;
  cost.bytes = op.bytes ? op.bytes(in, out, attrs) : bytes_of(in) + bytes_of(out);
  cost.flops = op.flops ? op.flops(in, out, attrs)
                        : static_cast<double>(out.empty() ? 0 : out[0].shape.size());
  return cost;
}

}  // namespace stoker::graph
