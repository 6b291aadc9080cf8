#include <algorithm>

#include "graph/passes/fusion/clusters.h"
#include "graph/passes/match.h"
#include "graph/values.h"

// The softmax head: a classifier's cross-entropy, its sum, its gradient, the gradient's sum for the
// bias, and the accuracy become one node that reads the logits once; with very many classes, a node
// without the last two.
namespace stoker::graph {
namespace {

// The nodes of one head by index; -1: none.
struct Head {
  int32_t loss = -1, loss_sum = -1, gradient = -1, bias_sum = -1, hits = -1;
  ValueId labels = no_value, logits = no_value, scale = no_value;
  // If the loss is computed in float32: the 16-bit logits it was cast from, and the gradient cast
  // back to 16 bits.
  ValueId narrow_logits = no_value;
  int32_t narrow_gradient = -1;
  std::vector<int32_t> members;
};

class HeadFuser {
 public:
  HeadFuser(const Graph& graph, const Accepts& accepts)
      : graph_(graph),
        accepts_(accepts),
        matcher_(graph),
        clusters_(graph),
        readers_(readers_of_values(graph)) {}

  Graph run() {
    std::vector<Head> heads;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      Head head;
      if (find(static_cast<int32_t>(n), head) && merge(head)) heads.push_back(head);
    }
    Rewriter rewriter(graph_);
    for (int32_t cluster : clusters_.order()) {
      const auto& members = clusters_.members(cluster);
      const auto head = std::find_if(heads.begin(), heads.end(), [&](const Head& h) {
        return clusters_.of(h.loss) == cluster;
      });
      if (head == heads.end() || !emit(rewriter, *head))
        for (int32_t n : members) rewriter.keep(node(n));
    }
    return rewriter.finish();
  }

 private:
  const Node& node(int32_t n) const { return graph_.nodes[static_cast<size_t>(n)]; }
  const std::vector<int32_t>& readers(ValueId v) const { return readers_[static_cast<size_t>(v)]; }
  bool is(int32_t n, const char* op) const { return node(n).op->name == op; }
  // The node's only reader, if it is this op.
  int32_t sole_reader(int32_t n, const char* op) const {
    const ValueId v = node(n).outputs[0];
    if (!matcher_.is_single_use(v) || readers(v).size() != 1) return -1;
    return is(readers(v)[0], op) ? readers(v)[0] : -1;
  }
  bool sums_all(int32_t n) const {
    return n >= 0 && graph_.type(node(n).outputs[0]).shape.rank() == 0;
  }

  bool find(int32_t n, Head& head) const {
    if (!is(n, "sparse_softmax_cross_entropy")) return false;
    head.loss = n;
    head.labels = node(n).inputs[0];
    head.logits = node(n).inputs[1];
    head.loss_sum = sole_reader(n, "reduce_sum");
    if (graph_.type(head.logits).shape.rank() < 2 || !sums_all(head.loss_sum)) return false;
    head.members = {head.loss, head.loss_sum};
    const Node* cast = graph_.producer(head.logits);
    if (cast && cast->op->name == "cast" && is_half(graph_.type(cast->inputs[0]).dtype) &&
        graph_.type(head.logits).dtype == DType::float32)
      head.narrow_logits = cast->inputs[0];
    for (int32_t reader : readers(head.logits))
      if (is(reader, "softmax")) look_behind(reader, head);
    if (head.gradient >= 0 && head.narrow_gradient < 0) head.narrow_logits = no_value;
    if (head.narrow_logits != no_value) look_for_narrow_hits(head);
    return true;
  }

  // The accuracy of a network whose softmax is in float16 or bfloat16; without rounding there are
  // fewer ties, nothing else changes.
  void look_for_narrow_hits(Head& head) const {
    const auto take = [&](ValueId v) {
      for (int32_t reader : readers(v))
        if (is(reader, "argmax")) take_hits(reader, head);
    };
    for (int32_t softmax : readers(head.narrow_logits)) {
      if (!is(softmax, "softmax")) continue;
      take(node(softmax).outputs[0]);
      for (int32_t cast : readers(node(softmax).outputs[0]))
        if (is(cast, "cast")) take(node(cast).outputs[0]);
    }
  }

  void look_behind(int32_t softmax, Head& head) const {
    for (int32_t reader : readers(node(softmax).outputs[0])) {
      if (is(reader, "sparse_softmax_cross_entropy_grad")) take_gradient(reader, head);
      if (is(reader, "argmax")) take_hits(reader, head);
    }
  }

  void take_gradient(int32_t n, Head& head) const {
    const ValueId scale = one_element_behind(node(n).inputs[2]);
    if (head.gradient >= 0 || node(n).inputs[0] != head.labels || scale == no_value) return;
    head.gradient = n;
    head.scale = scale;
    head.members.push_back(n);
    take_narrow_gradient(head);
    take_bias_sum(node(last_of(head)).outputs[0], head);
  }

  void take_narrow_gradient(Head& head) const {
    const int32_t cast = sole_reader(head.gradient, "cast");
    if (head.narrow_logits == no_value || cast < 0) return;
    if (graph_.type(node(cast).outputs[0]).dtype != graph_.type(head.narrow_logits).dtype) return;
    head.narrow_gradient = cast;
    head.members.push_back(cast);
  }
  // The node whose output the head's gradient replaces.
  static int32_t last_of(const Head& head) {
    return head.narrow_gradient >= 0 ? head.narrow_gradient : head.gradient;
  }

  void take_bias_sum(ValueId gradient, Head& head) const {
    if (graph_.type(gradient).shape.rank() != 2) return;
    for (int32_t reader : readers(gradient)) {
      if (!is(reader, "reduce_sum") || head.bias_sum >= 0) continue;
      if (node(reader).attrs.integers("axis") != std::vector<int64_t>{0}) continue;
      head.bias_sum = reader;
      head.members.push_back(reader);
    }
  }

  ValueId one_element_behind(ValueId v) const {
    while (graph_.type(v).shape.size() != 1) {
      const Node* spread = graph_.producer(v);
      if (!spread || spread->op->name != "broadcast_to") return no_value;
      v = spread->inputs[0];
    }
    return v;
  }

  // sum(cast(labels == argmax(softmax)))
  void take_hits(int32_t argmax, Head& head) const {
    const int64_t axis = node(argmax).attrs.integer("axis");
    const int32_t equal = sole_reader(argmax, "equal");
    if (head.hits >= 0 || (axis != -1 && axis != 1) || equal < 0) return;
    if (graph_.type(head.logits).shape.rank() != 2) return;
    const auto& sides = node(equal).inputs;
    if (behind_cast(sides[0]) != head.labels && behind_cast(sides[1]) != head.labels) return;
    const int32_t cast = sole_reader(equal, "cast"),
                  sum = cast >= 0 ? sole_reader(cast, "reduce_sum") : -1;
    if (!sums_all(sum) || graph_.type(node(sum).outputs[0]).dtype != DType::float32) return;
    head.hits = sum;
    head.members.insert(head.members.end(), {argmax, equal, cast, sum});
  }

  // Casting labels to wider integers does not change them.
  ValueId behind_cast(ValueId v) const {
    const Node* cast = graph_.producer(v);
    const bool widens =
        cast && cast->op->name == "cast" && is_integer(graph_.type(v).dtype) &&
        is_integer(graph_.type(cast->inputs[0]).dtype) &&
        size_of(graph_.type(v).dtype) >= size_of(graph_.type(cast->inputs[0]).dtype);
    return widens ? cast->inputs[0] : v;
  }

  bool merge(const Head& head) {
    for (int32_t n : head.members) {
      const int32_t own = clusters_.of(n), group = clusters_.of(head.loss);
      if (own == group) continue;
      if (!clusters_.can_merge(group, own)) return false;
      clusters_.merge(group, own);
    }
    return true;
  }

  bool emit(Rewriter& rewriter, const Head& head) const {
    const int64_t gradient = head.gradient >= 0;
    const std::vector<ValueId> inputs = flat_inputs(rewriter, head);
    const std::string& scope = node(head.loss).scope;
    const auto made =
        try_add(rewriter, accepts_, "softmax_head", inputs, {{"gradient", gradient}}, scope);
    const auto stands_for = [&](int32_t n, ValueId now) {
      if (n >= 0) stand_in(rewriter, graph_, node(n).outputs[0], now);
    };
    if (made.empty()) return emit_wide(rewriter, head, inputs);
    stands_for(head.loss_sum, made[0]);
    stands_for(head.hits, made[1]);
    if (gradient) stands_for(last_of(head), made[2]);
    if (gradient) stands_for(head.bias_sum, made[3]);
    return true;
  }

  // The sum for the bias and the accuracy stay separate nodes.
  bool emit_wide(Rewriter& rewriter, const Head& head, const std::vector<ValueId>& inputs) const {
    const int64_t gradient = head.gradient >= 0, classes = graph_.type(head.logits).shape.back();
    const auto made =
        try_add(rewriter, accepts_, "wide_softmax_head", inputs,
                {{"gradient", gradient}, {"classes", classes}}, node(head.loss).scope);
    if (made.empty()) return false;
    stand_in(rewriter, graph_, node(head.loss_sum).outputs[0], made[0]);
    if (gradient) stand_in(rewriter, graph_, node(last_of(head)).outputs[0], made[1]);
    for (int32_t n : clusters_.members(clusters_.of(head.loss)))
      if (n != head.loss && n != head.loss_sum && n != head.gradient && n != head.narrow_gradient)
        rewriter.keep(node(n));
    return true;
  }

  std::vector<ValueId> flat_inputs(Rewriter& rewriter, const Head& head) const {
    const ValueId logits = head.narrow_logits != no_value ? head.narrow_logits : head.logits;
    const Shape& shape = graph_.type(logits).shape;
    const int64_t classes = shape.back(), rows = shape.size() / std::max<int64_t>(classes, 1);
    std::vector<ValueId> inputs{flat(rewriter, head.labels, {rows}),
                                flat(rewriter, logits, {rows, classes})};
    if (head.gradient >= 0) inputs.push_back(rewriter.map(head.scale));
    return inputs;
  }
  ValueId flat(Rewriter& rewriter, ValueId old, std::vector<int64_t> dims) const {
    const ValueId now = rewriter.map(old);
    if (graph_.type(old).shape == Shape(dims)) return now;
    return rewriter.graph().add_node(find_op("reshape"), {now}, {{"shape", dims}})[0];
  }

  const Graph& graph_;
  const Accepts& accepts_;
  Matcher matcher_;
  Clusters clusters_;
  std::vector<std::vector<int32_t>> readers_;
};

const RegisterPass registered{{"fuse_softmax_head", [](const Graph& graph, const Accepts& accepts) {
                                 return HeadFuser(graph, accepts).run();
                               }}};

}  // namespace
}  // namespace stoker::graph
