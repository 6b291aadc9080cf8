#include <algorithm>

#include "graph/passes/fusion/dense_stack_reader.h"

namespace stoker::graph {

static const std::vector<int64_t> all_axes{};

bool DenseStackReader::read_optimizer() {
  for (const Node& node : step_.graph().nodes)
    if (node.op->name == "adam_update") return read_adam(node);
  stack_.optimizer = "sgd";
  for (const StateUse& use : step_.graph().states)
    if (use.update == no_value || use.update == use.value) {
      if (stack_.learning_rate != no_value) return false;
      stack_.learning_rate = use.value;
    }
  return stack_.learning_rate != no_value && find_iteration();
}

bool DenseStackReader::find_iteration() {
  for (const ValueId state : updates_) {
    const auto counts = [&](const auto& layer) { return layer.calls == state; };
    if (step_.graph().type(state) != TensorType{DType::int64, {}} ||
        std::ranges::any_of(stack_.layers, counts))
      continue;
    if (stack_.iteration != no_value) return false;
    stack_.iteration = state;
  }
  return stack_.iteration != no_value;
}

bool DenseStackReader::read_adam(const Node& node) {
  stack_.optimizer = "adam";
  stack_.beta_1 = node.attrs.number("beta_1");
  stack_.beta_2 = node.attrs.number("beta_2");
  stack_.epsilon = node.attrs.number("epsilon");
  const Node* divide = step_.producer(node.inputs[4], "divide");
  const Node* scaled = divide ? step_.producer(divide->inputs[0], "multiply") : nullptr;
  if (!scaled || !step_.is_state(scaled->inputs[0]) || !find_iteration()) return false;
  stack_.learning_rate = scaled->inputs[0];
  const ValueId one = step_.scalar(1.0);
  const ValueId t = emit(
      "add", {emit("cast", {stack_.iteration}, {{"dtype", int64_t{int(DType::float32)}}}), one});
  const auto missing = [&](double beta) {
    return emit("subtract", {one, emit("power", {step_.scalar(beta), t})});
  };
  const ValueId root = emit("sqrt", {missing(stack_.beta_2)});
  step_size_ =
      emit("divide", {emit("multiply", {stack_.learning_rate, root}), missing(stack_.beta_1)});
  return step_size_ != no_value;
}

void DenseStackReader::improve(DenseStack::Parameter& at, ValueId gradient) {
  if (!(stack_.optimizer == "adam" ? improve_adam(at, gradient) : improve_sgd(at, gradient)))
    failed_ = true;
}

bool DenseStackReader::improve_adam(DenseStack::Parameter& at, ValueId gradient) {
  const auto nodes = step_.readers(gradient, "adam_update");
  if (gradient == no_value || nodes.size() != 1) return false;
  const Node& node = *step_.take(nodes[0]);
  at.m = node.inputs[1];
  at.v = node.inputs[2];
  return node.inputs[0] == at.weight && node.inputs[3] == gradient &&
         node.inputs[4] == step_size_ && node.attrs.number("beta_1") == stack_.beta_1 &&
         node.attrs.number("beta_2") == stack_.beta_2 &&
         node.attrs.number("epsilon") == stack_.epsilon && explain(at.weight, node.outputs[0]) &&
         explain(at.m, node.outputs[1]) && explain(at.v, node.outputs[2]);
}

bool DenseStackReader::improve_sgd(DenseStack::Parameter& at, ValueId gradient) {
  const ValueId step = emit("multiply", {gradient, stack_.learning_rate});
  if (step == no_value) return false;
  const ValueId plain = emit("subtract", {at.weight, step});
  if (plain != no_value) return explain(at.weight, plain);
  for (const Node* node : step_.readers(step, "subtract"))
    if (const Node* kept = step_.producer(node->inputs[0], "multiply");
        kept && step_.is_state(kept->inputs[0]))
      return improve_momentum(at, step, *step_.take(kept), *step_.take(node));
  return false;
}

bool DenseStackReader::improve_momentum(DenseStack::Parameter& at, ValueId step, const Node& kept,
                                        const Node& moved) {
  at.m = kept.inputs[0];
  double momentum = 0;
  if (!step_.is_scalar(kept.inputs[1], &momentum)) return false;
  if (stack_.momentum != 0 && momentum != stack_.momentum) return false;
  stack_.momentum = momentum;
  const ValueId m = moved.outputs[0];
  const ValueId ahead = emit("subtract", {emit("multiply", {m, step_.scalar(momentum)}), step});
  stack_.nesterov = ahead != no_value;
  const ValueId next = emit("add", {at.weight, stack_.nesterov ? ahead : m});
  return explain(at.m, m) && explain(at.weight, next);
}

bool DenseStackReader::explain(ValueId state, ValueId value) {
  const auto at = std::ranges::find(updates_, state);
  if (value == no_value || at == updates_.end() || step_.update_of(state) != value) return false;
  updates_.erase(at);
  return true;
}

void DenseStackReader::read_counters() {
  const ValueId one = step_.scalar(int64_t{1});
  std::vector<ValueId> counters{stack_.iteration};
  for (const DenseStack::Layer& layer : stack_.layers)
    if (layer.calls != no_value) counters.push_back(layer.calls);
  for (const ValueId counter : counters) failed_ |= !explain(counter, emit("add", {counter, one}));
}

ValueId DenseStackReader::total_of(ValueId amount) {
  if (amount == no_value) return no_value;
  const std::vector<ValueId> open = updates_;
  for (const ValueId state : open)
    if (const Node* add = step_.producer(step_.update_of(state), "add");
        add && add->inputs[0] == state && add->inputs[1] == amount) {
      explain(state, step_.take(add)->outputs[0]);
      return state;
    }
  return no_value;
}

void DenseStackReader::read_metrics() {
  const ValueId samples = step_.scalar(static_cast<double>(batch()));
  stack_.loss_total = total_of(emit("multiply", {loss_, samples}));
  if (const ValueId right = right_answers(); right != no_value)
    stack_.accuracy_total = total_of(sum(cast(right, DType::float32), all_axes));
  while (!updates_.empty()) {
    stack_.counts.push_back(total_of(samples));
    if (stack_.counts.back() == no_value) break;
  }
  const size_t totals =
      size_t{stack_.loss_total != no_value} + size_t{stack_.accuracy_total != no_value};
  failed_ |= stack_.counts.size() != totals;
}

ValueId DenseStackReader::cast(ValueId v, DType dtype) {
  return emit("cast", {v}, {{"dtype", static_cast<int64_t>(dtype)}});
}

ValueId DenseStackReader::right_answers() {
  const ValueId z = sums_.back();
  if (stack_.loss == "binary_crossentropy") {
    if (classes() != 1) return no_value;
    const ValueId above = emit("greater", {emit("sigmoid", {z}), step_.scalar(0.5)});
    return emit("equal", {targets_, cast(above, DType::float32)});
  }
  if (stack_.loss == "mean_squared_error") return no_value;
  const Attrs last{{"axis", int64_t{-1}}};
  const auto softmax = step_.readers(z, "softmax");
  const ValueId on_softmax =
      softmax.empty() ? no_value : emit("argmax", {softmax[0]->outputs[0]}, last);
  const ValueId answer = on_softmax != no_value ? on_softmax : emit("argmax", {z}, last);
  const ValueId wanted = stack_.loss == "categorical_crossentropy"
                             ? emit("argmax", {targets_}, last)
                             : cast(targets_, DType::int64);
  return emit("equal", {wanted, answer});
}

}  // namespace stoker::graph
