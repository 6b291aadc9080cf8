#include <algorithm>

#include "nn/layers/merging/merge_layer.h"
#include "stoker/layers/merging.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(ConcatenateArgs& a, V& v) {
  v("axis", a.axis);
  nn::visit_layer(a, v);
}

namespace {

class ConcatenateLayer : public nn::MergeLayer<ConcatenateArgs> {
 public:
  ConcatenateLayer(const ConcatenateArgs& args, std::source_location created)
      : MergeLayer("Concatenate", args, created) {}

  void build_all(const std::vector<Shape>& inputs) override {
    MergeLayer::build_all(inputs);
    const int rank = inputs[0].rank();
    if (args_.axis < -rank || args_.axis >= rank)
      fail(fmt::format("axis {} is out of range for input {}.", args_.axis, to_string(inputs[0])));
    if (normalize_axis(args_.axis, rank) == 0)
      fail("axis 0 is the batch and cannot be concatenated.");
  }

  // A time step is unmasked if any of the concatenated features is unmasked there.
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override {
    const auto masked = [](const Tensor& mask) { return mask.defined(); };
    if (std::none_of(masks.begin(), masks.end(), masked)) return {};
    std::vector<Tensor> counts;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Tensor mask =
          masked(masks[i]) ? ops::cast(masks[i], DType::float32) : ops::fill(inputs[i].shape(), 1);
      if (mask.shape().rank() < inputs[i].shape().rank()) mask = ops::expand_dims(mask, -1);
      counts.push_back(ops::broadcast_to(mask, inputs[i].shape()));
    }
    const Tensor joined = ops::concatenate(counts, args_.axis);
    return {ops::greater(ops::max(joined, {.axis = {-1}}), 0.5)};
  }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) const override {
    const Shape& first = inputs[0].shape();
    const int axis = normalize_axis(args_.axis, first.rank());
    for (const Tensor& input : inputs) {
      bool fits = input.shape().rank() == first.rank();
      for (int i = 0; fits && i < first.rank(); ++i)
        fits = i == axis || input.shape()[i] == first[i];
      if (!fits)
        fail(fmt::format("inputs {} differ outside axis {}.", shapes_of(inputs), args_.axis));
    }
    return inputs.size() == 1 ? inputs[0] : ops::concatenate(inputs, axis);
  }
};

const nn::RegisterLayer<ConcatenateArgs> registered{"Concatenate", Concatenate};

}  // namespace

LayerRef Concatenate(const ConcatenateArgs& args, std::source_location created) {
  return make_layer<ConcatenateLayer>(args, created);
}

}  // namespace stoker::layers
