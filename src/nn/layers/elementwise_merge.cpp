#include "nn/layers/merge_layer.h"
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

class ElementwiseMerge : public nn::MergeLayer<MergeArgs> {
 public:
  ElementwiseMerge(const char* class_name, Binary binary, const MergeArgs& args,
                   std::source_location created)
      : MergeLayer(class_name, args, created), binary_(binary) {}

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override {
    int rank = 0;
    for (const Tensor& input : inputs) rank = std::max(rank, input.shape().rank());
    Tensor merged = with_rank(inputs[0], rank);
    for (size_t i = 1; i < inputs.size(); ++i) {
      const Tensor next = with_rank(inputs[i], rank);
      if (!compatible(merged.shape(), next.shape()))
        fail(fmt::format("inputs {} cannot be broadcast together.", shapes_of(inputs)));
      merged = binary_(merged, next);
    }
    return merged;
  }

 private:
  static Tensor with_rank(Tensor x, int rank) {
    while (x.shape().rank() < rank) x = ops::expand_dims(x, 1);
    return x;
  }
  static bool compatible(const Shape& a, const Shape& b) {
    for (int i = 0; i < a.rank(); ++i)
      if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return false;
    return true;
  }
  Binary binary_;
};

const nn::RegisterLayer<MergeArgs> add{"Add", Add};
const nn::RegisterLayer<MergeArgs> multiply{"Multiply", Multiply};

}  // namespace

LayerRef Add(const MergeArgs& args, std::source_location created) {
  return make_layer<ElementwiseMerge>("Add", ops::add, args, created);
}
LayerRef Multiply(const MergeArgs& args, std::source_location created) {
  return make_layer<ElementwiseMerge>("Multiply", ops::multiply, args, created);
}

}  // namespace stoker::layers
