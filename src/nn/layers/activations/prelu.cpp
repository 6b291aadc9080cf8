#include "nn/layers/args_layer.h"
#include "stoker/layers/named_activations.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(PReLUArgs& a, V& v) {
  v("alpha_initializer", a.alpha_initializer);
  v("alpha_regularizer", a.alpha_regularizer);
  v("alpha_constraint", a.alpha_constraint);
  std::optional<std::vector<int64_t>> axes;  // Keras writes an empty list as null
  if (!a.shared_axes.empty()) axes = a.shared_axes;
  v("shared_axes", axes);
  a.shared_axes = axes.value_or(std::vector<int64_t>{});
  nn::visit_layer(a, v);
}

namespace {

class PReLULayer : public nn::ArgsLayer<PReLUArgs> {
 public:
  PReLULayer(const PReLUArgs& args, std::source_location created)
      : ArgsLayer("PReLU", args, created) {
    supports_masking = true;
  }

  void build(const Shape& input) override {
    Shape slopes = input.drop_front();
    for (int64_t axis : args_.shared_axes) {
      if (axis < 1 || axis >= input.rank())
        fail(fmt::format("shared axis {} is not one of input {}.", axis, to_string(input)));
      slopes[static_cast<int>(axis) - 1] = 1;
    }
    if (!slopes.is_known())
      fail(fmt::format("expects known dimensions after the batch, got input {}.", to_string(input)),
           "name the unknown ones in shared_axes.");
    alpha_ = add_weight("alpha", {.shape = slopes,
                                  .initializer = args_.alpha_initializer,
                                  .regularizer = args_.alpha_regularizer,
                                  .constraint = args_.alpha_constraint});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::relu(x) - alpha_ * ops::relu(-x);
  }

 private:
  Variable alpha_;
};

const nn::RegisterLayer<PReLUArgs> registered{"PReLU", PReLU};

}  // namespace

LayerRef PReLU(const PReLUArgs& args, std::source_location created) {
  return make_layer<PReLULayer>(args, created);
}

}  // namespace stoker::layers
