#include "stoker/layers/dense.h"

#include "nn/layers/args_layer.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(DenseArgs& a, V& v) {
  v("units", a.units, nn::required);
  v("activation", a.activation);
  v("use_bias", a.use_bias);
  v("kernel_initializer", a.kernel_initializer);
  v("bias_initializer", a.bias_initializer);
  v("kernel_regularizer", a.kernel_regularizer);
  v("bias_regularizer", a.bias_regularizer);
  v.if_set("activity_regularizer", a.activity_regularizer);
  v("kernel_constraint", a.kernel_constraint);
  v("bias_constraint", a.bias_constraint);
  v.fixed("quantization_config", Config());
  nn::visit_layer(a, v);
}

namespace {

class DenseLayer : public nn::ArgsLayer<DenseArgs> {
 public:
  DenseLayer(const DenseArgs& args, std::source_location created)
      : ArgsLayer("Dense", args, created) {
    expect_positive("units", {args.units});
    supports_masking = true;
  }

  void build(const Shape& input) override {
    if (input.rank() < 2 || input.back() == unknown)
      fail(fmt::format("expects input (batch, …, features), got {}.", to_string(input)));
    kernel_ = add_weight("kernel", {.shape = {input.back(), args_.units},
                                    .initializer = args_.kernel_initializer,
                                    .regularizer = args_.kernel_regularizer,
                                    .constraint = args_.kernel_constraint});
    if (args_.use_bias)
      bias_ = add_weight("bias", {.shape = {args_.units},
                                  .initializer = args_.bias_initializer,
                                  .regularizer = args_.bias_regularizer,
                                  .constraint = args_.bias_constraint});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const int64_t features = kernel_.shape()[0];
    if (x.shape().rank() < 2 || x.shape().back() != features)
      fail(fmt::format("expects last dim {}, got input {}.", features, to_string(x.shape())),
           x.shape().rank() > 2 ? "add Flatten before it." : "");
    Shape out = x.shape();
    out[-1] = args_.units;
    Tensor y = ops::matmul(ops::reshape(x, {-1, features}), kernel_);
    if (args_.use_bias) y = y + bias_;
    return args_.activation(ops::reshape(y, out));
  }

 private:
  Variable kernel_, bias_;
};

const nn::RegisterLayer<DenseArgs> registered{"Dense", Dense};

}  // namespace

LayerRef Dense(const DenseArgs& args, std::source_location created) {
  return make_layer<DenseLayer>(args, created);
}

}  // namespace stoker::layers
