#include <cmath>

#include "graph/passes/fusion/dense_stack_reader.h"

namespace stoker::graph {

static const std::vector<int64_t> batch_axis{0};

std::optional<DenseStack> DenseStackReader::read() {
  if (!step_.graph().outputs.empty() || !find_products() || !read_input()) return {};
  for (size_t l = 0; l < products_.size(); ++l)
    if (!read_layer(l)) return {};
  if (!read_loss() || !read_optimizer()) return {};
  gradients_from(preactivation_gradient_, stack_.layers.size());
  read_counters();
  read_metrics();
  if (failed_ || !updates_.empty() || !step_.explains_all()) return {};
  return stack_;
}

bool DenseStackReader::find_products() {
  for (const Node& node : step_.graph().nodes)
    if (node.op->name == "matmul" && !node.attrs.flag("transpose_a") &&
        !node.attrs.flag("transpose_b") && step_.is_state(node.inputs[1]))
      products_.push_back(step_.take(&node));
  for (const StateUse& use : step_.graph().states)
    if (use.update != no_value && use.update != use.value) updates_.push_back(use.value);
  stack_.layers.resize(products_.size());
  outputs_.resize(products_.size() + 1);
  return !products_.empty();
}

ValueId DenseStackReader::through(ValueId v, std::string_view op) {
  const Node* node = step_.take(step_.producer(v, op));
  return node ? node->inputs[0] : v;
}

bool DenseStackReader::read_input() {
  outputs_[0] = products_[0]->inputs[0];
  ValueId at = through(outputs_[0], "reshape");
  if (const Node* scaled = step_.producer(at, "multiply");
      scaled && step_.is_scalar(scaled->inputs[1], &stack_.input_scale))
    at = step_.take(scaled)->inputs[0];
  at = through(through(at, "reshape"), "cast");
  stack_.x = source(at);
  return stack_.x != no_value && step_.graph().type(outputs_[0]).shape.rank() == 2;
}

ValueId DenseStackReader::source(ValueId rows) {
  const Node* gather = step_.take(step_.producer(rows, "gather"));
  if (gather && gather->attrs.flag("nan_outside")) return no_value;  // an embedding, no data
  const ValueId from = gather ? gather->inputs[0] : rows;
  if (gather && (stack_.index != no_value && stack_.index != gather->inputs[1])) return no_value;
  if (gather) stack_.index = gather->inputs[1];
  if (gather && !is_input(stack_.index)) return no_value;
  return is_input(from) ? from : no_value;
}

bool DenseStackReader::read_layer(size_t l) {
  DenseStack::Layer& layer = stack_.layers[l];
  const Node& product = *products_[l];
  if (product.inputs[0] != outputs_[l]) return false;
  layer.kernel.weight = product.inputs[1];
  sums_.push_back(with_bias(layer, product.outputs[0]));
  if (l + 1 == products_.size()) return true;
  outputs_[l + 1] = products_[l + 1]->inputs[0];
  return read_activation(l, read_dropout(layer, outputs_[l + 1]));
}

ValueId DenseStackReader::with_bias(DenseStack::Layer& layer, ValueId sum) {
  for (const Node* add : step_.readers(sum, "add")) {
    if (add->inputs[0] != sum || !step_.is_state(add->inputs[1])) continue;
    layer.bias.weight = add->inputs[1];
    return step_.take(add)->outputs[0];
  }
  return sum;
}

ValueId DenseStackReader::read_dropout(DenseStack::Layer& layer, ValueId v) {
  const Node* select = step_.producer(v, "select");
  if (!select) return v;
  const Node* kept = step_.producer(select->inputs[0], "greater_equal");
  const Node* scaled = step_.producer(select->inputs[1], "multiply");
  const Node* uniform = kept ? step_.producer(kept->inputs[0], "random_uniform") : nullptr;
  double zero = 1;
  if (!scaled || !uniform || !step_.is_scalar(kept->inputs[1], &layer.dropout) ||
      !step_.is_scalar(select->inputs[2], &zero) || zero != 0 ||
      step_.graph().type(uniform->outputs[0]).shape != step_.graph().type(v).shape ||
      uniform->attrs.find("offset"))
    return no_value;
  for (const Node* node : {select, kept, scaled, uniform}) step_.take(node);
  layer.seed = uniform->attrs.integer("seed");
  layer.calls = uniform->inputs[0];
  masks_.push_back(kept->outputs[0]);
  const ValueId factor = step_.scalar(1 / (1 - rate_of(layer.dropout)));
  return scaled->inputs[1] == factor ? scaled->inputs[0] : no_value;
}

double DenseStackReader::rate_of(double rounded) {
  const double digits = std::round(rounded * 1e6) / 1e6;
  return static_cast<float>(digits) == static_cast<float>(rounded) ? digits : rounded;
}

bool DenseStackReader::read_activation(size_t l, ValueId v) {
  activated_.resize(l + 1, v);
  if (v == sums_[l]) return true;
  for (const char* name : {"relu", "sigmoid", "tanh"})
    if (const Node* node = step_.producer(v, name); node && node->inputs[0] == sums_[l]) {
      stack_.layers[l].activation = name;
      return step_.take(node);
    }
  return false;
}

ValueId DenseStackReader::activation_gradient(const std::string& activation, ValueId g, ValueId y) {
  if (activation == "relu") return emit("relu_grad", {g, y});
  const ValueId one = step_.scalar(1.0);
  if (activation == "tanh")
    return emit("multiply", {g, emit("subtract", {one, emit("multiply", {y, y})})});
  if (activation == "sigmoid")
    return emit("multiply", {emit("multiply", {g, y}), emit("subtract", {one, y})});
  return g;
}

Attrs DenseStackReader::product(int64_t transpose_a, int64_t transpose_b) {
  return {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}};
}

void DenseStackReader::gradients_from(ValueId gradient, size_t l) {
  DenseStack::Layer& layer = stack_.layers[l - 1];
  if (layer.bias.weight != no_value) improve(layer.bias, sum(gradient, batch_axis));
  improve(layer.kernel, emit("matmul", {outputs_[l - 1], gradient}, product(1, 0)));
  if (l == 1) return;
  ValueId back = emit("matmul", {gradient, layer.kernel.weight}, product(0, 1));
  const DenseStack::Layer& below = stack_.layers[l - 2];
  if (below.calls != no_value) {
    const ValueId factor = step_.scalar(1 / (1 - rate_of(below.dropout)));
    back = emit("select", {masks_.back(), back, step_.scalar(0.0)});
    back = emit("multiply", {back, factor});
    masks_.pop_back();
  }
  gradients_from(activation_gradient(below.activation, back, activated_[l - 2]), l - 1);
}

std::optional<DenseStack> read_dense_stack(const Graph& graph) {
  return DenseStackReader(graph).read();
}

}  // namespace stoker::graph
