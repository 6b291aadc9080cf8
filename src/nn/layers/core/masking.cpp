#include "stoker/layers/masking.h"

#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(MaskingArgs& a, V& v) {
  v("mask_value", a.mask_value);
  nn::visit_layer(a, v);
}

namespace {

class MaskingLayer : public nn::ArgsLayer<MaskingArgs> {
 public:
  MaskingLayer(const MaskingArgs& args, std::source_location created)
      : ArgsLayer("Masking", args, created) {
    supports_masking = true;
  }

  void build(const Shape& input) override {
    if (input.rank() < 2)
      fail(fmt::format("expects input (batch, …, features), got {}.", to_string(input)));
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Tensor counts = any_counts(x);
    const Tensor y = ops::where(counts, x, graph::scalar_like(x, 0));
    y.set_mask(ops::squeeze(counts, -1));
    return y;
  }

 private:
  Tensor any_counts(const Tensor& x) const {
    const Tensor differs = ops::not_equal(x, graph::scalar_like(x, args_.mask_value));
    return ops::greater(
        ops::max(ops::cast(differs, DType::float32), {.axis = {-1}, .keepdims = true}), 0);
  }
};

const nn::RegisterLayer<MaskingArgs> registered{"Masking", Masking};

}  // namespace

LayerRef Masking(const MaskingArgs& args, std::source_location created) {
  return make_layer<MaskingLayer>(args, created);
}

}  // namespace stoker::layers
