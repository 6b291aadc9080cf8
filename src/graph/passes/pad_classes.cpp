#include <optional>

#include "graph/passes/match.h"

// Products of very many classes whose number is no multiple of what tensor cores load at once are
// several times slower than they need be. Where nothing but a loss reads their logits, the weights
// are padded with zeros first, the loss leaves the padding out, and the products on the way back
// take the padded gradient.
namespace stoker::graph {
namespace {

constexpr int64_t load_bytes = 16, worth_it = int64_t{1} << 20;  // logits

class ClassPadder : public NodeFuser {
 public:
  using NodeFuser::NodeFuser;

 private:
  // What became of one head.
  struct Padded {
    ValueId weights, gradient;            // as they were
    ValueId wide_weights, wide_gradient;  // as they are
    int64_t classes, padding;
    int axis;  // of the weights' classes
  };

  bool fuse(const Node& node) override {
    if (node.op->name == "wide_softmax_head") return pad(node);
    return node.op->name == "matmul" && padded_ && (contract(node) || widen(node));
  }

  bool pad(const Node& head) {
    const ValueId logits = matcher_.behind_reshape(matcher_.behind_reshape(head.inputs[1]));
    const Node* product = matcher_.sole(logits, "matmul");
    const TensorType& type = graph_.type(head.inputs[1]);
    const int64_t classes = type.shape[1], step = load_bytes / int64_t(size_of(type.dtype)),
                  padding = (step - classes % step) % step;
    if (padded_ || !product || padding == 0 || type.shape.size() < worth_it) return false;
    if (product->attrs.flag("transpose_a")) return false;
    Padded p{product->inputs[1],
             no_value,
             no_value,
             no_value,
             classes,
             padding,
             product->attrs.flag("transpose_b") ? 0 : 1};
    p.wide_weights = add("pad", {rewriter_.map(p.weights)}, pad_attrs(p), product->scope);
    const ValueId wide = add("matmul", {rewriter_.map(product->inputs[0]), p.wide_weights},
                             product->attrs, product->scope);
    std::vector<ValueId> inputs = rewriter_.map(head.inputs);
    inputs[1] = wide;
    const auto made =
        try_add(rewriter_, accepts_, "wide_softmax_head", inputs, head.attrs, head.scope);
    if (made.empty()) return false;
    rewriter_.set(head.outputs[0], made[0]);
    if (made.size() > 1) {
      p.gradient = head.outputs[1];
      p.wide_gradient = made[1];
      rewriter_.set(p.gradient, cut(made[1], 1, classes, head.scope));
    }
    padded_ = p;
    return true;
  }
  static Attrs pad_attrs(const Padded& p) {
    std::vector<int64_t> none(2, 0), after(2, 0);
    after[static_cast<size_t>(p.axis)] = p.padding;
    return {{"before", none}, {"after", after}};
  }

  // gradient · weights: the zeros add nothing.
  bool contract(const Node& node) {
    const bool turned = node.attrs.flag("transpose_b");
    if (!is_gradient(node.inputs[0]) || node.inputs[1] != padded_->weights) return false;
    if (node.attrs.flag("transpose_a") || turned != (padded_->axis == 1)) return false;
    rewriter_.replace(node.outputs, *node.op, {padded_->wide_gradient, padded_->wide_weights},
                      node.attrs, node.scope);
    return true;
  }

  // A product one of whose sides is the classes: the rest of that side is cut off.
  bool widen(const Node& node) {
    const bool first = is_gradient(node.inputs[0]) && node.attrs.flag("transpose_a"),
               second = is_gradient(node.inputs[1]) && !node.attrs.flag("transpose_b");
    if (first == second) return false;
    std::vector<ValueId> inputs = rewriter_.map(node.inputs);
    inputs[first ? 0 : 1] = padded_->wide_gradient;
    const ValueId wide = add("matmul", inputs, node.attrs, node.scope);
    rewriter_.set(node.outputs[0], cut(wide, first ? 0 : 1, padded_->classes, node.scope));
    return true;
  }

  bool is_gradient(ValueId v) const {
    while (v != padded_->gradient) {
      const Node* reshape = graph_.producer(v);
      if (!reshape || reshape->op->name != "reshape") return false;
      v = reshape->inputs[0];
    }
    return padded_->gradient != no_value;
  }

  ValueId add(const char* op, std::vector<ValueId> inputs, Attrs attrs, const std::string& scope) {
    return rewriter_.graph().add_node(find_op(op), std::move(inputs), std::move(attrs), scope)[0];
  }
  ValueId cut(ValueId wide, int axis, int64_t size, const std::string& scope) {
    std::vector<int64_t> kept = rewriter_.graph().type(wide).shape.dims();
    kept[static_cast<size_t>(axis)] = size;
    return add("slice", {wide}, {{"start", std::vector<int64_t>(2, 0)}, {"size", kept}}, scope);
  }

  std::optional<Padded> padded_;
};

const RegisterPass pass{{"pad_classes", 42, [](const Graph& graph, const Accepts& accepts) {
                           return ClassPadder(graph, accepts).run();
                         }}};

}  // namespace
}  // namespace stoker::graph
