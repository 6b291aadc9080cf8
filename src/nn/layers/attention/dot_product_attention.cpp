#include "nn/layers/attention/dot_product_attention.h"

#include <algorithm>

#include "graph/emit.h"
#include "stoker/ops/attention.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

namespace stoker::nn {
namespace {

// Inserts axes of size 1 after the batch until the mask has rank `rank`.
Tensor with_rank(Tensor mask, int rank, size_t axes) {
  while (mask.shape().rank() < rank)
    mask = ops::expand_dims(mask, -2 * static_cast<int64_t>(axes) - 1);
  return mask;
}

// Reshapes (batch …, positions …, heads, size) to (batch * heads, positions, size) and back.
class Layout {
 public:
  Layout(const std::vector<int64_t>& axes, int rank) : places_(axes.size()) {
    for (int64_t i = 0; i + 1 < rank; ++i)
      if (std::ranges::find(axes, i) == axes.end()) order_.push_back(i);
    others_ = order_.size();
    order_.insert(order_.end(), axes.begin(), axes.end());
    order_.push_back(rank - 1);
  }
  Tensor flat(const Tensor& x) const {
    const Tensor moved = ops::transpose(x, order_);
    return ops::reshape(moved, {size(others(x)), size(places(x)), x.shape().back()});
  }
  // `like`: a tensor with the batch, positions and heads of the result.
  Tensor unflat(const Tensor& x, const Tensor& like) const {
    std::vector<int64_t> dims = joined({others(like), places(like)}), back(order_.size());
    dims.push_back(x.shape().back());
    for (size_t i = 0; i < order_.size(); ++i)
      back[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
    return ops::transpose(ops::reshape(x, Shape(dims)), back);
  }
  Shape scores(const Tensor& query, const Tensor& key) const {
    return Shape(joined({others(query), places(query), places(key)}));
  }

 private:
  using Dims = std::vector<int64_t>;
  Dims others(const Tensor& x) const { return dims(x, 0, others_); }
  Dims places(const Tensor& x) const { return dims(x, others_, others_ + places_); }
  Dims dims(const Tensor& x, size_t begin, size_t end) const {
    Dims found;
    for (size_t i = begin; i < end; ++i) found.push_back(x.shape()[static_cast<int>(order_[i])]);
    return found;
  }
  static Dims joined(const std::vector<Dims>& parts) {
    Dims all;
    for (const Dims& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  static int64_t size(const Dims& dims) { return Shape(dims).size(); }

  std::vector<int64_t> order_;
  size_t others_ = 0, places_;
};

// Masked positions get weight 0, even if a whole row is masked.
Tensor weights_of(const Tensor& scores, const Tensor& mask) {
  if (!mask.defined()) return ops::softmax(scores);
  const double far = scores.dtype() == DType::float16 ? -3e4 : -1e9;
  const Tensor seen = ops::softmax(ops::where(mask, scores, graph::scalar_like(scores, far)));
  return ops::where(mask, seen, graph::scalar_like(seen, 0));
}

AttentionResult attention_in_parts(const DotProductAttentionArgs& a) {
  const Layout layout(a.axes, a.query.shape().rank());
  const Tensor q = layout.flat(a.query * a.scale), k = layout.flat(a.key), v = layout.flat(a.value);
  const Shape shape = layout.scores(a.query, a.key);
  const Tensor products = ops::matmul(q, k, {.transpose_b = true});
  const Tensor spread = a.mask.defined() ? with_rank(a.mask, shape.rank(), a.axes.size()) : a.mask;
  const Tensor mask =
      spread.defined() ? ops::reshape(ops::broadcast_to(spread, shape), products.shape()) : spread;
  const Tensor weights = weights_of(products, mask);
  const Tensor used = a.dropout > 0
                          ? weights * a.noise->noise(weights.shape(), a.dropout, weights.dtype())
                          : weights;
  const Tensor scores = ops::reshape(weights, shape);
  if (spread.defined()) scores.set_mask(spread);  // as Keras's softmax does
  return {layout.unflat(ops::matmul(used, v), a.query), scores};
}

}  // namespace

AttentionResult dot_product_attention(const DotProductAttentionArgs& a) {
  if (a.dropout > 0 || a.scores || a.query.shape().rank() != 4 || !a.fused)
    return attention_in_parts(a);
  const Tensor mask = a.mask.defined() ? with_rank(a.mask, 4, 1) : a.mask;
  return {ops::dot_product_attention(a.query, a.key, a.value,
                                     {.scale = a.scale, .causal = a.causal, .mask = mask}),
          {}};
}

}  // namespace stoker::nn
