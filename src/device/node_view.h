#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend_interface.h"
#include "stoker/shape.h"

namespace stoker {

// A node as a backend's planners see it.
class NodeView {
 public:
  explicit NodeView(const StokerNode& node) : op(node.op), node_(node) {
    for (int i = 0; i < node.num_inputs; ++i) in.push_back(type_of(node.inputs[i]));
    for (int i = 0; i < node.num_outputs; ++i) out.push_back(type_of(node.outputs[i]));
  }
  std::string op;
  std::vector<TensorType> in, out;

  int64_t integer(std::string_view name, int64_t fallback = 0) const {
    const StokerAttr* attr = find(name, stoker_int);
    return attr ? attr->i : fallback;
  }
  double number(std::string_view name, double fallback = 0) const {
    const StokerAttr* attr = find(name, stoker_float);
    return attr ? attr->f : fallback;
  }
  std::string text(std::string_view name) const {
    const StokerAttr* attr = find(name, stoker_string);
    return attr ? attr->s : "";
  }
  std::vector<int64_t> integers(std::string_view name) const {
    const StokerAttr* attr = find(name, stoker_ints);
    return attr ? std::vector<int64_t>(attr->ints, attr->ints + attr->count)
                : std::vector<int64_t>{};
  }
  bool flag(std::string_view name) const { return integer(name) != 0; }
  bool all_are(DType dtype) const {  // inputs and outputs
    const auto same = [&](const TensorType& type) { return type.dtype == dtype; };
    return std::all_of(in.begin(), in.end(), same) && std::all_of(out.begin(), out.end(), same);
  }

 private:
  static TensorType type_of(const StokerTensor& tensor) {
    return {static_cast<DType>(tensor.dtype),
            Shape(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank))};
  }
  const StokerAttr* find(std::string_view name, StokerAttrKind kind) const {
    for (int i = 0; i < node_.num_attrs; ++i)
      if (name == node_.attrs[i].name && node_.attrs[i].kind == kind) return &node_.attrs[i];
    return nullptr;
  }
  const StokerNode& node_;
};

// How many rows of a table indices may address; no bound if the number is unknown: then the
// producer of the indices guarantees their range.
inline int64_t rows_to_gather_from(const Shape& table) {
  return table[0] == unknown ? std::numeric_limits<int64_t>::max() : table[0];
}

}  // namespace stoker
