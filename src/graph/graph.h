#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/op.h"

namespace stoker {
class Tensor;
}

namespace stoker::graph {

using ValueId = int32_t;
inline constexpr ValueId no_value = -1;

// A variable as the graph sees it: name, type and identity. exec adds the memory.
struct State {
  std::string name;
  TensorType type;
  bool trainable = true;
  bool autocast = false;         // reads inside a layer are in the layer's compute dtype
  bool sums_over_ranks = false;  // grows by the sum of what all ranks add: a metric's state
  std::function<Tensor(const Tensor&)> constraint;  // what an optimizer applies after an update
  virtual ~State() = default;
};

enum class Origin { input, state, constant, node };

struct Value {
  TensorType type;
  Origin origin;
  int32_t index;       // which input, state, constant or node
  int32_t output = 0;  // which output of the node
};

struct Node {
  const Op* op;
  std::vector<ValueId> inputs, outputs;
  Attrs attrs;
  std::string scope;  // path of the layer that emitted it, for messages and reports
};

struct StateUse {
  std::shared_ptr<State> state;
  ValueId value;              // what the step reads
  ValueId update = no_value;  // what the state holds after the step
};

// A whole step in SSA form, in topological order.
class Graph {
 public:
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs, outputs;
  std::vector<StateUse> states;
  std::vector<Array> constants;

  ValueId add_input(TensorType type);
  ValueId add_constant(const Array& array);
  ValueId state_value(const std::shared_ptr<State>& state);  // adds the state on first use
  StateUse& use_of(const std::shared_ptr<State>& state);
  // Infers the outputs' types; throws InvalidArgument with the op's name and its inputs' types.
  std::vector<ValueId> add_node(const Op& op, std::vector<ValueId> in, Attrs attrs,
                                std::string scope = {});

  const TensorType& type(ValueId v) const { return values[static_cast<size_t>(v)].type; }
  const Value& value(ValueId v) const { return values[static_cast<size_t>(v)]; }
  const Node* producer(ValueId v) const;
  std::vector<TensorType> types(const std::vector<ValueId>& ids) const;
  Cost cost(const Node& node) const;
  void verify() const;            // SSA order, arity, types; throws Internal
  std::string to_string() const;  // what STOKER_DUMP=passes prints

 private:
  ValueId add_value(TensorType type, Origin origin, int32_t index, int32_t output = 0);
};

std::vector<TensorType> infer_types(const Op& op, std::span<const TensorType> in,
                                    const Attrs& attrs);

}  // namespace stoker::graph
