#include "graph/emit.h"
#include "nn/layers/merging/merge_layer.h"
#include "stoker/layers/merging.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(MergeArgs& a, V& v) {
  nn::visit_layer(a, v);
}

namespace {

using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Tensors = std::vector<Tensor>;

class ElementwiseMerge : public nn::MergeLayer<MergeArgs> {
 public:
  ElementwiseMerge(const char* class_name, Binary binary, const MergeArgs& args,
                   std::source_location created)
      : MergeLayer(class_name, args, created), binary_(binary) {}

 protected:
  Tensor merge(const Tensors& inputs, const Tensors& masks) const override {
    const Tensors lined_up = with_one_rank(inputs);
    for (const Tensor& input : lined_up)
      if (!compatible(lined_up[0].shape(), input.shape()))
        fail(fmt::format("inputs {} cannot be broadcast together.", shapes_of(inputs)));
    return join(lined_up, masks);
  }
  virtual Tensor join(const Tensors& inputs, const Tensors&) const {
    Tensor joined = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) joined = binary_(joined, inputs[i]);
    return joined;
  }

  // A mask broadcast to its input's shape; undefined if there is none.
  static Tensor spread(const Tensors& masks, size_t i, const Tensor& input) {
    if (i >= masks.size() || !masks[i].defined()) return {};
    return ops::broadcast_to(ops::expand_dims(ops::cast(masks[i], DType::boolean), -1),
                             input.shape());
  }

  Binary binary_;

 private:
  static Tensors with_one_rank(const Tensors& inputs) {
    int rank = 0;
    for (const Tensor& input : inputs) rank = std::max(rank, input.shape().rank());
    Tensors lined_up;
    for (Tensor x : inputs) {
      while (x.shape().rank() < rank) x = ops::expand_dims(x, 1);
      lined_up.push_back(x);
    }
    return lined_up;
  }
  static bool compatible(const Shape& a, const Shape& b) {
    for (int i = 0; i < a.rank(); ++i)
      if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return false;
    return true;
  }
};

class AverageLayer : public ElementwiseMerge {
 public:
  AverageLayer(const MergeArgs& args, std::source_location created)
      : ElementwiseMerge("Average", ops::add, args, created) {}

 protected:
  Tensor join(const Tensors& inputs, const Tensors& masks) const override {
    return ElementwiseMerge::join(inputs, masks) / static_cast<double>(inputs.size());
  }
};

class SubtractLayer : public ElementwiseMerge {
 public:
  SubtractLayer(const MergeArgs& args, std::source_location created)
      : ElementwiseMerge("Subtract", ops::subtract, args, created) {}
  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.size() != 2) fail(fmt::format("takes two inputs, got {}.", inputs.size()));
    ElementwiseMerge::build_all(inputs);
  }
};

// Masked values count as 1; the product is 0 where all are masked.
class MultiplyLayer : public ElementwiseMerge {
 public:
  MultiplyLayer(const MergeArgs& args, std::source_location created)
      : ElementwiseMerge("Multiply", ops::multiply, args, created) {}

 protected:
  Tensor join(const Tensors& inputs, const Tensors& masks) const override {
    Tensors factors;
    Tensor any;
    bool all_masked = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor mask = spread(masks, i, inputs[i]);
      all_masked &= mask.defined();
      if (mask.defined()) any = any.defined() ? ops::logical_or(any, mask) : mask;
      factors.push_back(mask.defined()
                            ? ops::where(mask, inputs[i], graph::scalar_like(inputs[i], 1))
                            : inputs[i]);
    }
    const Tensor product = ElementwiseMerge::join(factors, masks);
    return all_masked ? ops::where(any, product, graph::scalar_like(product, 0)) : product;
  }
};

// Masked values are replaced by the other operand.
class ExtremeLayer : public ElementwiseMerge {
 public:
  using ElementwiseMerge::ElementwiseMerge;

 protected:
  Tensor join(const Tensors& inputs, const Tensors& masks) const override {
    Tensor joined = inputs[0], joined_mask = spread(masks, 0, inputs[0]);
    for (size_t i = 1; i < inputs.size(); ++i) {
      const Tensor mask = spread(masks, i, inputs[i]);
      const Tensor next = mask.defined() ? ops::where(mask, inputs[i], joined) : inputs[i];
      if (joined_mask.defined()) joined = ops::where(joined_mask, joined, next);
      joined_mask =
          mask.defined() && joined_mask.defined() ? ops::logical_or(joined_mask, mask) : Tensor();
      joined = binary_(joined, next);
    }
    return joined;
  }
};

const nn::RegisterLayer<MergeArgs> add{"Add", Add};
const nn::RegisterLayer<MergeArgs> multiply{"Multiply", Multiply};
const nn::RegisterLayer<MergeArgs> subtract{"Subtract", Subtract};
const nn::RegisterLayer<MergeArgs> average{"Average", Average};
const nn::RegisterLayer<MergeArgs> maximum{"Maximum", Maximum};
const nn::RegisterLayer<MergeArgs> minimum{"Minimum", Minimum};

}  // namespace

LayerRef Add(const MergeArgs& args, std::source_location created) {
  return make_layer<ElementwiseMerge>("Add", ops::add, args, created);
}
LayerRef Multiply(const MergeArgs& args, std::source_location created) {
  return make_layer<MultiplyLayer>(args, created);
}
LayerRef Subtract(const MergeArgs& args, std::source_location created) {
  return make_layer<SubtractLayer>(args, created);
}
LayerRef Average(const MergeArgs& args, std::source_location created) {
  return make_layer<AverageLayer>(args, created);
}
LayerRef Maximum(const MergeArgs& args, std::source_location created) {
  const Binary larger = ops::maximum;
  return make_layer<ExtremeLayer>("Maximum", larger, args, created);
}
LayerRef Minimum(const MergeArgs& args, std::source_location created) {
  const Binary smaller = ops::minimum;
  return make_layer<ExtremeLayer>("Minimum", smaller, args, created);
}

}  // namespace stoker::layers
