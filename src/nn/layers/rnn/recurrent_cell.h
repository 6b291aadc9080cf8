#pragma once
#include "nn/layers/args_layer.h"
#include "nn/layers/regularization/drawn_dropout.h"
#include "stoker/layers/rnn.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

// Arguments of all cells; a layer's arguments are those of its cell and visit_recurrent's.
template <class Args, class V>
void visit_cell(Args& a, V& v) {
  v("units", a.units, required);
  v("activation", a.activation);
  if constexpr (requires { a.recurrent_activation; })
    v("recurrent_activation", a.recurrent_activation);
  v("use_bias", a.use_bias);
  v("kernel_initializer", a.kernel_initializer);
  v("recurrent_initializer", a.recurrent_initializer);
  v("bias_initializer", a.bias_initializer);
  if constexpr (requires { a.unit_forget_bias; }) v("unit_forget_bias", a.unit_forget_bias);
  v("kernel_regularizer", a.kernel_regularizer);
  v("recurrent_regularizer", a.recurrent_regularizer);
  v("bias_regularizer", a.bias_regularizer);
  v("kernel_constraint", a.kernel_constraint);
  v("recurrent_constraint", a.recurrent_constraint);
  v("bias_constraint", a.bias_constraint);
  v("dropout", a.dropout);
  v("recurrent_dropout", a.recurrent_dropout);
  if constexpr (requires { a.reset_after; }) v("reset_after", a.reset_after);
  v.accept_and_ignore("implementation");
  visit_layer(a, v);
}

// x times the kernel (features, gates * units). `masks`: none, one for all gates or one per gate.
inline Tensor project(const Tensor& x, const Tensor& kernel, const std::vector<Tensor>& masks) {
  const Shape& k = kernel.shape();
  const auto product = [&](const Tensor& masked, const Tensor& weights) {
    Shape out = x.shape();
    out[-1] = weights.shape()[1];
    return ops::reshape(ops::matmul(ops::reshape(masked, {-1, k[0]}), weights), out);
  };
  if (masks.size() <= 1) return product(masks.empty() ? x : x * masks[0], kernel);
  const int64_t width = k[1] / static_cast<int64_t>(masks.size());
  std::vector<Tensor> gates;
  for (size_t g = 0; g < masks.size(); ++g)
    gates.push_back(product(
        x * masks[g], ops::slice(kernel, {0, static_cast<int64_t>(g) * width}, {k[0], width})));
  return ops::concatenate(gates, -1);
}

// The states given to a call of a cell: after its input, or by name.
inline std::vector<Tensor> states_of_call(const std::vector<Tensor>& inputs, const CallArgs& args) {
  if (const auto named = args.tensors.find("states"); named != args.tensors.end())
    return named->second;
  return {inputs.begin() + 1, inputs.end()};
}

// A cell with `gates` gates, their weights and dropout. Args are a cell's or, for the cell of a
// layer, that layer's.
template <class Args>
class RecurrentCell : public ArgsLayer<Args>, public layers::RnnCell {
 public:
  RecurrentCell(const char* class_name, const Args& args, int64_t gates,
                std::source_location created)
      : ArgsLayer<Args>(class_name, args, created), gates_(gates) {
    this->expect_positive("units", {args.units});
    this->activity_regularizer = {};  // belongs to the layer, not its cell
    this->input_shape = {};
    for (double rate : {args.dropout, args.recurrent_dropout})
      if (!(rate >= 0 && rate <= 1))
        this->fail(fmt::format("dropout rates must be between 0 and 1, got {}.", rate));
  }

  std::vector<int64_t> state_size() const override { return {this->args_.units}; }

  void build_all(const std::vector<Shape>& inputs) override {
    const Shape& input = inputs.at(0);
    if (input.rank() != 2 || input.back() == unknown)
      this->fail(fmt::format("expects steps (batch, features), got {}.", to_string(input)));
    const Args& a = this->args_;
    kernel_ = this->add_weight("kernel", {.shape = {input.back(), gates_ * a.units},
                                          .initializer = a.kernel_initializer,
                                          .regularizer = a.kernel_regularizer,
                                          .constraint = a.kernel_constraint});
    recurrent_ = this->add_weight("recurrent_kernel", {.shape = {a.units, gates_ * a.units},
                                                       .initializer = a.recurrent_initializer,
                                                       .regularizer = a.recurrent_regularizer,
                                                       .constraint = a.recurrent_constraint});
    if (a.use_bias)
      bias_ = this->add_weight("bias", {.shape = bias_shape(),
                                        .initializer = bias_initializer(),
                                        .regularizer = a.bias_regularizer,
                                        .constraint = a.bias_constraint});
    if (a.dropout > 0 || a.recurrent_dropout > 0)
      noise_ = DrawnDropout(this->add_state("random", first_random_state(a.seed)));
  }

  void begin_sequence(const Tensor& first_input, bool training) override {
    draw(first_input.shape(), training);
    in_sequence_ = true;
  }
  void end_sequence() override {
    in_sequence_ = false;
    input_masks_.clear(), state_masks_.clear();
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    const auto states = states_of_call(inputs, args);
    if (const size_t count = this->state_size().size(); states.size() != count)
      this->fail(
          fmt::format("takes a step's input and {} states, got {} states.", count, states.size()));
    if (!in_sequence_) draw(inputs[0].shape(), args.training);
    return step(inputs[0], states);
  }
  Layer::CallSignature call_signature() const override {
    return {{"inputs", "states"}, {"training"}};
  }

 protected:
  virtual std::vector<Tensor> step(const Tensor& x, const std::vector<Tensor>& states) = 0;
  virtual Shape bias_shape() const { return {gates_ * this->args_.units}; }
  virtual Initializer bias_initializer() const { return this->args_.bias_initializer; }

  Tensor from_input(const Tensor& x) const { return project(x, kernel_, input_masks_); }
  Tensor from_state(const Tensor& h) const { return project(h, recurrent_, state_masks_); }
  bool drops_states() const { return !state_masks_.empty(); }
  Tensor dropped_state(const Tensor& h, size_t g) const {
    return drops_states() ? h * state_masks_[g] : h;
  }
  Tensor gate(const Tensor& all, int64_t g) const {
    const int64_t units = this->args_.units;
    return ops::slice(all, {0, g * units}, {all.shape()[0], units});
  }

  Variable kernel_, recurrent_, bias_;

 private:
  // As in Keras, recurrent dropout has one mask per gate.
  void draw(const Shape& input, bool training) {
    input_masks_.clear(), state_masks_.clear();
    if (!training) return;
    const Args& a = this->args_;
    const int64_t count = a.recurrent_dropout > 0 ? gates_ : 1;
    const DType dtype = this->compute_dtype();
    for (int64_t i = 0; i < count; ++i) {
      if (a.dropout > 0 && a.dropout < 1)
        input_masks_.push_back(noise_.noise(input, a.dropout, dtype));
      if (a.recurrent_dropout > 0 && a.recurrent_dropout < 1)
        state_masks_.push_back(noise_.noise({input[0], a.units}, a.recurrent_dropout, dtype));
    }
  }

  int64_t gates_;
  DrawnDropout noise_;
  std::vector<Tensor> input_masks_, state_masks_;
  bool in_sequence_ = false;
};

}  // namespace stoker::nn
