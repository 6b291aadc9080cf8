#include <optional>

#include "graph/passes/match.h"

// Matrix products with very many classes are several times slower if the number of classes is not a
// multiple of what tensor cores load at once. If only a loss reads the logits, the weights are
// padded with zeros first, the loss ignores the padding, and the products of the backward pass take
// the padded gradient.
namespace stoker::graph {
namespace {

constexpr int64_t load_bytes = 16, worth_it = int64_t{1} << 20;  // logits

class ClassPadder : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  // The values of one padded head.
  struct Padded {
    ValueId weights, gradient;            // before padding
    ValueId wide_weights, wide_gradient;  // after padding
    int64_t classes, padding;
    int axis;  // of the weights' classes
  };

  bool fuse(const Node& node) override {
    const std::string& op = node.op->name;
    if (op == "wide_softmax_head") return pad(node);
    if (!padded_ || padded_->gradient == no_value) return false;
    if (op == "matmul" || op == "fused_matmul") return contract(node) || widen(node);
    if (op == "matmul_adam") return step_apart(node);
    return op == "reduce_sum" && sum_rows(node);
  }

  bool pad(const Node& head) {
    const ValueId logits = matcher_.behind_reshape(matcher_.behind_reshape(head.inputs[1]));
    const Node* product = plain_product(logits);
    const TensorType& type = graph_.type(head.inputs[1]);
    const int64_t classes = type.shape[1],
                  step = load_bytes / static_cast<int64_t>(size_of(type.dtype)),
                  padding = (step - classes % step) % step;
    if (padded_ || !product || padding == 0 || type.shape.size() < worth_it) return false;
    Padded p{product->inputs[1],
             no_value,
             no_value,
             no_value,
             classes,
             padding,
             product->attrs.flag("transpose_b") ? 0 : 1};
    p.wide_weights = add_padding(p.weights, p.axis, padding, product->scope);
    std::vector<ValueId> sources{rewriter_.map(product->inputs[0]), p.wide_weights};
    if (product->inputs.size() > 2)
      sources.push_back(add_padding(product->inputs[2],
                                    graph_.type(product->inputs[2]).shape.rank() - 1, padding,
                                    product->scope));
    const ValueId wide = add(product->op->name, sources, product->attrs, product->scope);
    std::vector<ValueId> inputs = rewriter_.map(head.inputs);
    inputs[1] = wide;
    const auto made =
        try_add(rewriter_, accepts_, "wide_softmax_head", inputs, head.attrs, head.scope);
    if (made.empty()) return false;
    rewriter_.set(head.outputs[0], made[0]);
    if (made.size() > 1) {
      p.gradient = head.outputs[1];
      p.wide_gradient = made[1];
    }
    padded_ = p;
    if (made.size() > 1) rewriter_.set(p.gradient, cut(made[1], 1, head.scope));
    return true;
  }
  // With a bias at most.
  const Node* plain_product(ValueId logits) const {
    const Node* product = matcher_.sole(logits, "matmul");
    if (!product) product = matcher_.sole(logits, "fused_matmul");
    if (!product || product->attrs.flag("transpose_a")) return nullptr;
    if (product->op->name == "matmul") return product;
    const Attrs& a = product->attrs;
    return a.flag("mask") || !a.text("activation").empty() ? nullptr : product;
  }
  ValueId add_padding(ValueId old, int axis, int64_t padding, const std::string& scope) {
    std::vector<int64_t> none(graph_.type(old).shape.dims().size(), 0), after = none;
    after[static_cast<size_t>(axis)] = padding;
    return add("pad", {rewriter_.map(old)}, {{"before", none}, {"after", after}}, scope);
  }

  // gradient · weights: the zeros add nothing.
  bool contract(const Node& node) {
    const bool transposed = node.attrs.flag("transpose_b");
    if (!is_gradient(node.inputs[0]) || node.inputs[1] != padded_->weights) return false;
    if (node.attrs.flag("transpose_a") || transposed != (padded_->axis == 1)) return false;
    std::vector<ValueId> inputs = rewriter_.map(node.inputs);  // a mask may be the third input
    inputs[0] = padded_->wide_gradient;
    inputs[1] = padded_->wide_weights;
    rewriter_.replace(node.outputs, *node.op, inputs, node.attrs, node.scope);
    return true;
  }

  // A product with the classes as one side: the padding is sliced off.
  bool widen(const Node& node) {
    const ValueId product = node.inputs.size() == 2 ? wide_product(node) : no_value;
    if (product == no_value) return false;
    rewriter_.set(node.outputs[0], product);
    return true;
  }
  ValueId wide_product(const Node& node) {
    const bool first = is_gradient(node.inputs[0]) && node.attrs.flag("transpose_a"),
               second = is_gradient(node.inputs[1]) && !node.attrs.flag("transpose_b");
    if (first == second) return no_value;
    std::vector<ValueId> inputs = rewriter_.map({node.inputs[0], node.inputs[1]});
    inputs[first ? 0 : 1] = padded_->wide_gradient;
    const Attrs turns{{"transpose_a", int64_t{node.attrs.flag("transpose_a")}},
                      {"transpose_b", int64_t{node.attrs.flag("transpose_b")}}};
    return cut(add("matmul", inputs, turns, node.scope), first ? 0 : 1, node.scope);
  }

  // A fused product and weight update would need padded weights: it is split into two nodes.
  bool step_apart(const Node& node) {
    ValueId gradient = wide_product(node);
    if (gradient == no_value) return false;
    const TensorType& weights = graph_.type(node.inputs[2]);
    if (graph_.type(node.inputs[0]).dtype != weights.dtype)
      gradient =
          add("cast", {gradient}, {{"dtype", static_cast<int64_t>(weights.dtype)}}, node.scope);
    if (rewriter_.graph().type(gradient).shape != weights.shape)
      gradient = add("reshape", {gradient}, {{"shape", weights.shape.dims()}}, node.scope);
    Attrs attrs;
    for (const char* name : {"beta_1", "beta_2", "epsilon"})
      attrs.set(name, node.attrs.number(name));
    rewriter_.replace(node.outputs, find_op("adam_update"),
                      {rewriter_.map(node.inputs[2]), rewriter_.map(node.inputs[3]),
                       rewriter_.map(node.inputs[4]), gradient, rewriter_.map(node.inputs[5])},
                      attrs, node.scope);
    return true;
  }

  // A bias's gradient.
  bool sum_rows(const Node& node) {
    if (!is_gradient(node.inputs[0]) || node.attrs.flag("keepdims") ||
        node.attrs.integers("axis") != std::vector<int64_t>{0} ||
        graph_.type(node.inputs[0]).shape.rank() != 2)
      return false;
    const ValueId sums = add("reduce_sum", {padded_->wide_gradient}, node.attrs, node.scope);
    rewriter_.set(node.outputs[0], cut(sums, 0, node.scope));
    return true;
  }

  bool is_gradient(ValueId v) const {
    while (v != padded_->gradient) {
      const Node* reshape = graph_.producer(v);
      if (!reshape || reshape->op->name != "reshape") return false;
      v = reshape->inputs[0];
    }
    return true;
  }

  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attrs attrs,
              const std::string& scope) {
    return rewriter_.graph().add_node(find_op(op), std::move(inputs), std::move(attrs), scope)[0];
  }
  ValueId cut(ValueId wide, int axis, const std::string& scope) {
    std::vector<int64_t> kept = rewriter_.graph().type(wide).shape.dims();
    const std::vector<int64_t> start(kept.size(), 0);
    kept[static_cast<size_t>(axis)] = padded_->classes;
    return add("slice", {wide}, {{"start", start}, {"size", kept}}, scope);
  }

  std::optional<Padded> padded_;
};

const RegisterPass registered{{"pad_classes", [](const Graph& graph, const Accepts& accepts) {
                                 return ClassPadder(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
