#include "graph/emit.h"
#include "nn/config/axes.h"
#include "nn/layers/args_layer.h"
#include "stoker/activations.h"
#include "stoker/layers/named_activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::layers {

template <class V>
void visit(SoftmaxArgs& a, V& v) {
  nn::visit_axes(v, "axis", a.axis);
  nn::visit_layer(a, v);
}

namespace {

class SoftmaxLayer : public nn::ArgsLayer<SoftmaxArgs> {
 public:
  SoftmaxLayer(const SoftmaxArgs& args, std::source_location created)
      : ArgsLayer("Softmax", args, created) {
    supports_masking = true;
    if (args.axis.values.empty()) fail("takes at least one axis.");
  }

  // Masked positions become 0, even if all are masked.
  Tensor call(const Tensor& x, const CallArgs& args) override {
    const Tensor mask = args.mask();
    if (!mask.defined()) return share_out(x);
    const Tensor counts = mask.dtype() == DType::boolean ? mask : ops::greater(mask, 0.5);
    const double low = x.dtype() == DType::float16 ? -3e4 : -1e9;
    const Tensor y = share_out(ops::where(counts, x, graph::scalar_like(x, low)));
    return ops::where(counts, y, graph::scalar_like(y, 0));
  }

 private:
  Tensor share_out(const Tensor& x) const {
    const auto& axes = args_.axis.values;
    if (axes.size() == 1) return activations::softmax(x, axes[0]);
    const ops::ReduceArgs over{.axis = axes, .keepdims = true};
    const Tensor powers = ops::exp(x - ops::stop_gradient(ops::max(x, over)));
    return powers / ops::sum(powers, over);
  }
};

const nn::RegisterLayer<SoftmaxArgs> registered{"Softmax", Softmax};

}  // namespace

LayerRef Softmax(const SoftmaxArgs& args, std::source_location created) {
  return make_layer<SoftmaxLayer>(args, created);
}

}  // namespace stoker::layers
