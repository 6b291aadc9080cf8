#include "stoker/layers/activation.h"

#include "nn/layers/args_layer.h"

namespace stoker::layers {

template <class V>
void visit(ActivationArgs& a, V& v) {
  v("activation", a.activation, nn::required);
  nn::visit_layer(a, v);
}

namespace {

class ActivationLayer : public nn::ArgsLayer<ActivationArgs> {
 public:
  ActivationLayer(const ActivationArgs& args, std::source_location created)
      : ArgsLayer("Activation", args, created) {
    supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return args_.activation(x); }
};

const nn::RegisterLayer<ActivationArgs> registered{"Activation", Activation};

}  // namespace

LayerRef Activation(const ActivationArgs& args, std::source_location created) {
  return make_layer<ActivationLayer>(args, created);
}

}  // namespace stoker::layers
