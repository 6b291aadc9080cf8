#include "graph/passes/fusion/dense_stack_reader.h"

namespace stoker::graph {

static const std::vector<int64_t> all_axes{}, last_axis{-1};

ValueId DenseStackReader::emit(std::string_view op, const std::vector<ValueId>& inputs,
                               Attrs attrs) {
  return step_.emit(op, inputs, std::move(attrs));
}

ValueId DenseStackReader::sum(ValueId v, const std::vector<int64_t>& axes, bool keepdims) {
  return emit("reduce_sum", {v}, {{"axis", axes}, {"keepdims", int64_t{keepdims}}});
}

ValueId DenseStackReader::spread(ValueId v, std::vector<int64_t> via, std::vector<int64_t> to) {
  return emit("broadcast_to", {emit("reshape", {v}, {{"shape", std::move(via)}})},
              {{"shape", std::move(to)}});
}

bool DenseStackReader::read_loss() {
  const ValueId z = sums_.back();
  if (const auto nodes = step_.readers(z, "sparse_softmax_cross_entropy"); !nodes.empty())
    return read_sparse(z, *nodes[0]);
  if (const auto nodes = step_.readers(z, "log_softmax"); !nodes.empty())
    return read_categorical(z, *nodes[0]);
  if (!step_.readers(z, "log1p").empty() || !step_.readers(z, "greater_equal").empty())
    return read_binary(z);
  return read_squares(z);
}

ValueId DenseStackReader::reduce(ValueId values) {
  const ValueId total = sum(values, all_axes), share = step_.scalar(1.0 / double(batch()));
  loss_ = emit("multiply", {total, share});
  if (loss_ == no_value) {  // reduction "sum"
    loss_ = total;
    return spread(step_.scalar(1.0), {1}, {batch()});
  }
  stack_.loss_scale = 1.0 / static_cast<double>(batch());
  return spread(emit("multiply", {step_.scalar(1.0), share}), {1}, {batch()});
}

bool DenseStackReader::read_targets(ValueId v) {
  targets_ = v;
  stack_.y = source(through(through(through(v, "reshape"), "cast"), "reshape"));
  return stack_.y != no_value;
}

bool DenseStackReader::read_sparse(ValueId z, const Node& node) {
  stack_.loss = "sparse_categorical_crossentropy";
  if (node.inputs[1] != z || !read_targets(node.inputs[0])) return false;
  const ValueId back = reduce(step_.take(&node)->outputs[0]);
  preactivation_gradient_ =
      emit("sparse_softmax_cross_entropy_grad", {targets_, emit("softmax", {z}), back});
  return preactivation_gradient_ != no_value;
}

bool DenseStackReader::read_categorical(ValueId z, const Node& node) {
  stack_.loss = "categorical_crossentropy";
  const auto products = step_.readers(node.outputs[0], "multiply");
  if (products.size() != 1 || !read_targets(products[0]->inputs[0])) return false;
  const ValueId logs = step_.take(&node)->outputs[0];
  const ValueId values = emit("negative", {sum(emit("multiply", {targets_, logs}), last_axis)});
  const ValueId back = emit("negative", {reduce(values)});
  const ValueId each =
      emit("multiply", {spread(back, {batch(), 1}, {batch(), classes()}), targets_});
  preactivation_gradient_ = emit(
      "subtract", {each, emit("multiply", {emit("softmax", {z}), sum(each, last_axis, true)})});
  return preactivation_gradient_ != no_value;
}

bool DenseStackReader::read_binary(ValueId z) {
  stack_.loss = "binary_crossentropy";
  const ValueId zero = step_.scalar(0.0), positive = emit("greater_equal", {z, zero});
  const ValueId above = emit("select", {positive, z, zero});
  const ValueId small = emit("exp", {emit("select", {positive, emit("negative", {z}), z})});
  for (const Node* node : step_.readers(z, "multiply"))
    if (node->inputs[0] == z && !read_targets(node->inputs[1])) return false;
  if (targets_ == no_value) return false;
  const ValueId part = emit("subtract", {above, emit("multiply", {z, targets_})});
  const ValueId back = reduce_mean(emit("add", {part, emit("log1p", {small})}));
  const ValueId first = emit("multiply", {emit("negative", {back}), targets_});
  const ValueId inner =
      emit("multiply", {emit("divide", {back, emit("add", {small, step_.scalar(1.0)})}), small});
  const ValueId down = emit("negative", {emit("select", {positive, inner, zero})});
  const ValueId up = emit("add", {first, emit("select", {positive, zero, inner})});
  preactivation_gradient_ =
      emit("add", {emit("add", {up, down}), emit("select", {positive, back, zero})});
  return preactivation_gradient_ != no_value;
}

ValueId DenseStackReader::reduce_mean(ValueId values) {
  const ValueId share = step_.scalar(1.0 / static_cast<double>(classes()));
  const ValueId back = reduce(emit("multiply", {sum(values, last_axis), share}));
  return spread(emit("multiply", {back, share}), {batch(), 1}, {batch(), classes()});
}

bool DenseStackReader::read_squares(ValueId z) {
  stack_.loss = "mean_squared_error";
  const Node* square = nullptr;
  for (const Node& node : step_.graph().nodes)
    if (node.op->name == "square") square = &node;
  const Node* error = square ? step_.producer(square->inputs[0], "subtract") : nullptr;
  if (!error || !read_activation(stack_.layers.size() - 1, error->inputs[1]) ||
      !read_targets(error->inputs[0]))
    return false;
  const ValueId difference = step_.take(error)->outputs[0];
  const ValueId back = reduce_mean(step_.take(square)->outputs[0]);
  const ValueId twice = emit("multiply", {back, step_.scalar(2.0)});
  const ValueId down = emit("negative", {emit("multiply", {twice, difference})});
  preactivation_gradient_ =
      activation_gradient(stack_.layers.back().activation, down, activated_.back());
  return preactivation_gradient_ != no_value && z != no_value;
}

}  // namespace stoker::graph
