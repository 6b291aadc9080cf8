#include "stoker/layers/einsum_dense.h"

#include <set>

#include "nn/layers/args_layer.h"
#include "nn/layers/core/einsum_shapes.h"
#include "stoker/ops/matmul.h"

namespace stoker::layers {

template <class V>
void visit(EinsumDenseArgs& a, V& v) {
  v("equation", a.equation, nn::required);
  v("output_shape", a.output_shape, nn::required);
  v("activation", a.activation);
  v("bias_axes", a.bias_axes);
  v("kernel_initializer", a.kernel_initializer);
  v("bias_initializer", a.bias_initializer);
  v("kernel_regularizer", a.kernel_regularizer);
  v("bias_regularizer", a.bias_regularizer);
  v("activity_regularizer", a.activity_regularizer);
  v("kernel_constraint", a.kernel_constraint);
  v("bias_constraint", a.bias_constraint);
  v.fixed("quantization_config", Config());
  nn::visit_layer(a, v);
}

namespace {

// Initializers whose variance depends on fan_in or fan_out.
bool scales_with_fans(const Initializer& initializer) {
  static const std::set<std::string> names{"VarianceScaling", "GlorotUniform", "GlorotNormal",
                                           "HeUniform",       "HeNormal",      "LecunUniform",
                                           "LecunNormal"};
  return names.contains(nn::parse_object(initializer.to_config()).class_name);
}

// Draws a matrix (fan_in, fan_out) and reshapes it to the kernel's shape.
struct FannedInitializer : Initializer::Impl {
  FannedInitializer(Initializer i, Shape f) : inner(std::move(i)), fans(std::move(f)) {}
  Array make(const Shape& shape, DType dtype, uint64_t seed) const override {
    return inner(fans, dtype, seed).reshape(shape);
  }
  std::string class_name() const override { return nn::parse_object(inner.to_config()).class_name; }
  Config get_config() const override { return nn::parse_object(inner.to_config()).config; }
  Initializer inner;
  Shape fans;
};

class EinsumDenseLayer : public nn::ArgsLayer<EinsumDenseArgs> {
 public:
  EinsumDenseLayer(const EinsumDenseArgs& args, std::source_location created)
      : ArgsLayer("EinsumDense", args, created) {}

  void build(const Shape& input) override {
    const auto shapes =
        nn::einsum_shapes(args_.equation, args_.bias_axes.value_or(""), input, args_.output_shape);
    equation_ = shapes.equation;
    const Initializer& initializer = args_.kernel_initializer;
    kernel_ =
        add_weight("kernel", {.shape = shapes.kernel,
                              .initializer = scales_with_fans(initializer)
                                                 ? Initializer(std::make_shared<FannedInitializer>(
                                                       initializer, shapes.fans))
                                                 : initializer,
                              .regularizer = args_.kernel_regularizer,
                              .constraint = args_.kernel_constraint});
    if (shapes.bias.rank() > 0)
      bias_ = add_weight("bias", {.shape = shapes.bias,
                                  .initializer = args_.bias_initializer,
                                  .regularizer = args_.bias_regularizer,
                                  .constraint = args_.bias_constraint});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Tensor y = ops::einsum(equation_, x, kernel_);
    return args_.activation(bias_.defined() ? y + bias_ : y);
  }

 private:
  std::string equation_;
  Variable kernel_, bias_;
};

const nn::RegisterLayer<EinsumDenseArgs> registered{"EinsumDense", EinsumDense};

}  // namespace

LayerRef EinsumDense(const EinsumDenseArgs& args, std::source_location created) {
  return make_layer<EinsumDenseLayer>(args, created);
}

}  // namespace stoker::layers
