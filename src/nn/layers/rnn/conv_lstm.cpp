#include "stoker/layers/conv_lstm.h"

#include "nn/layers/convolutional/conv_layer.h"
#include "nn/layers/regularization/drawn_dropout.h"
#include "nn/layers/rnn/forget_bias.h"
#include "nn/layers/rnn/recurrent_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(ConvLSTMArgs<n>& a, V& v) {
  v("filters", a.filters, nn::required);
  nn::visit_kernel(a, v);
  nn::visit_window(a, v);
  v("recurrent_activation", a.recurrent_activation);
  v("recurrent_initializer", a.recurrent_initializer);
  v("unit_forget_bias", a.unit_forget_bias);
  v("recurrent_regularizer", a.recurrent_regularizer);
  v("recurrent_constraint", a.recurrent_constraint);
  v("dropout", a.dropout);
  v("recurrent_dropout", a.recurrent_dropout);
  v("seed", a.seed);
  nn::visit_recurrent(a, v);
}

namespace {

constexpr int64_t gates = 4;  // input, forget, candidate, output

template <size_t n>
class ConvLstmCell : public nn::ConvLayer<ConvLSTMArgs<n>, n>, public RnnCell {
 public:
  ConvLstmCell(const ConvLSTMArgs<n>& args, std::source_location created)
      : nn::ConvLayer<ConvLSTMArgs<n>, n>("ConvLSTMCell", args, created) {
    this->pads_same(args.padding);
    this->expect_one_of_strides_and_dilation();
    this->activity_regularizer = {};  // belongs to the layer, not its cell
    this->input_shape = {};
    for (double rate : {args.dropout, args.recurrent_dropout})
      if (!(rate >= 0 && rate <= 1))
        this->fail(fmt::format("dropout rates must be between 0 and 1, got {}.", rate));
  }

  std::vector<int64_t> state_size() const override {
    return {this->args_.filters, this->args_.filters};
  }
  std::vector<Shape> state_shapes() const override { return {state_shape_, state_shape_}; }

  void build_all(const std::vector<Shape>& inputs) override {
    const Shape& input = inputs.at(0);
    const auto& a = this->args_;
    this->expect_channels_known(input);
    plan_windows(input);
    this->kernel_ =
        this->add_weight("kernel", {.shape = this->kernel_shape(this->channels_, gates * a.filters),
                                    .initializer = a.kernel_initializer,
                                    .regularizer = a.kernel_regularizer,
                                    .constraint = a.kernel_constraint});
    recurrent_ = this->add_weight("recurrent_kernel",
                                  {.shape = this->kernel_shape(a.filters, gates * a.filters),
                                   .initializer = a.recurrent_initializer,
                                   .regularizer = a.recurrent_regularizer,
                                   .constraint = a.recurrent_constraint});
    if (a.use_bias)
      this->bias_ =
          this->add_weight("bias", {.shape = {gates * a.filters},
                                    .initializer = nn::lstm_bias_initializer(a, a.filters),
                                    .regularizer = a.bias_regularizer,
                                    .constraint = a.bias_constraint});
    if (a.dropout > 0 || a.recurrent_dropout > 0)
      noise_ = nn::DrawnDropout(this->add_state("random", nn::first_random_state(a.seed)));
  }

  void begin_sequence(const Tensor& first_input, bool training) override {
    const auto& a = this->args_;
    const Shape& input = first_input.shape();
    for (int64_t g = 0; training && g < gates; ++g) {
      draw(input, a.dropout, input_masks_);
      draw(state_shape_.with_front(input[0]), a.recurrent_dropout, state_masks_);
    }
  }
  void end_sequence() override { input_masks_.clear(), state_masks_.clear(); }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    const auto& a = this->args_;
    this->expect_channels(inputs[0].shape(), this->channels_);
    const Tensor x = convolved(inputs[0], this->kernel_, input_masks_, input_window_),
                 state = convolved(inputs[1], recurrent_, state_masks_, state_window_);
    const Tensor last = this->with_bias(x) + state;
    const Tensor z = this->channels_first() ? this->to_first(last) : last;
    const Tensor i = a.recurrent_activation(gate(z, 0)), f = a.recurrent_activation(gate(z, 1)),
                 o = a.recurrent_activation(gate(z, 3));
    const Tensor c = f * inputs[2] + i * a.activation(gate(z, 2));
    const Tensor h = o * a.activation(c);
    return {h, h, c};
  }

 protected:
  Tensor compute(const Tensor& x) override { return ops::conv(x, this->kernel_, input_window_); }

 private:
  // The shape of a state, and the padding for the convolutions over input and state.
  void plan_windows(const Shape& input) {
    const auto& a = this->args_;
    const auto space = input.dims().begin() + (this->channels_first() ? 2 : 1);
    const Shape sizes(std::vector<int64_t>(space, space + n));
    if (!sizes.is_known())
      this->fail(fmt::format("needs to know the sizes of its steps, got {}.", to_string(input)));
    const Shape x = with_back(sizes.with_front(1), this->channels_);
    const auto padding = this->padding_of(x, a.kernel_size, a.strides, a.dilation_rate);
    this->expect_fits(x, a.kernel_size, a.dilation_rate, padding);
    input_window_ = this->window_args(padding);
    Shape after = sizes;
    for (size_t i = 0; i < n; ++i) {
      const int64_t span = (a.kernel_size[i] - 1) * a.dilation_rate[i] + 1;
      const int axis = static_cast<int>(i);
      after[axis] = (sizes[axis] + padding[2 * i] + padding[2 * i + 1] - span) / a.strides[i] + 1;
      const auto around = ops::same_padding(after[axis], a.kernel_size[i], 1);
      state_window_.padding.insert(state_window_.padding.end(), around.begin(), around.end());
    }
    state_shape_ =
        this->channels_first() ? after.with_front(a.filters) : with_back(after, a.filters);
  }
  static Shape with_back(const Shape& shape, int64_t dim) {
    auto dims = shape.dims();
    dims.push_back(dim);
    return Shape(std::move(dims));
  }

  void draw(const Shape& shape, double rate, std::vector<Tensor>& masks) {
    if (rate > 0 && rate < 1) masks.push_back(noise_.noise(shape, rate, this->compute_dtype()));
  }

  // All gates concatenated, channels last. `masks`: none or one per gate.
  Tensor convolved(const Tensor& x, const Tensor& kernel, const std::vector<Tensor>& masks,
                   const ops::ConvArgs& window) const {
    const auto conv = [&](const Tensor& given, const Tensor& weights) {
      return ops::conv(this->channels_first() ? this->to_last(given) : given, weights, window);
    };
    if (masks.empty()) return conv(x, kernel);
    std::vector<Tensor> parts;
    for (int64_t g = 0; g < gates; ++g)
      parts.push_back(conv(x * masks[static_cast<size_t>(g)], part(kernel, -1, g)));
    return ops::concatenate(parts, -1);
  }

  // The part of an axis that belongs to one gate.
  static Tensor part(const Tensor& x, int axis, int64_t g) {
    std::vector<int64_t> start(static_cast<size_t>(x.shape().rank()), 0), size = x.shape().dims();
    const auto at = static_cast<size_t>(normalize_axis(axis, x.shape().rank()));
    size[at] /= gates;
    start[at] = g * size[at];
    return ops::slice(x, start, size);
  }
  Tensor gate(const Tensor& z, int64_t g) const {
    return part(z, this->channels_first() ? 1 : -1, g);
  }

  Shape state_shape_;
  ops::ConvArgs input_window_, state_window_;
  Variable recurrent_;
  nn::DrawnDropout noise_;
  std::vector<Tensor> input_masks_, state_masks_;
};

template <size_t n>
class ConvLstmLayer : public nn::RecurrentLayer<ConvLSTMArgs<n>> {
 public:
  ConvLstmLayer(const char* class_name, const ConvLSTMArgs<n>& args, std::source_location created)
      : nn::RecurrentLayer<ConvLSTMArgs<n>>(class_name, args, cell_for(args, created), created) {
    if (this->args_.data_format.empty()) this->args_.data_format = "channels_last";
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.at(0).rank() != static_cast<int>(n) + 3)
      this->fail(fmt::format("expects input (batch, time, {} sizes and the channels), got {}.", n,
                             to_string(inputs[0])));
    nn::RecurrentLayer<ConvLSTMArgs<n>>::build_all(inputs);
  }

 private:
  static LayerRef cell_for(ConvLSTMArgs<n> args, std::source_location created) {
    args.name = "conv_lstm_cell";
    return make_layer<ConvLstmCell<n>>(args, created);
  }
};

const nn::RegisterLayer<ConvLSTM1DArgs> conv_lstm1d{"ConvLSTM1D", ConvLSTM1D};
const nn::RegisterLayer<ConvLSTM2DArgs> conv_lstm2d{"ConvLSTM2D", ConvLSTM2D};
const nn::RegisterLayer<ConvLSTM3DArgs> conv_lstm3d{"ConvLSTM3D", ConvLSTM3D};

}  // namespace

LayerRef ConvLSTM1D(const ConvLSTM1DArgs& args, std::source_location created) {
  return make_layer<ConvLstmLayer<1>>("ConvLSTM1D", args, created);
}
LayerRef ConvLSTM2D(const ConvLSTM2DArgs& args, std::source_location created) {
  return make_layer<ConvLstmLayer<2>>("ConvLSTM2D", args, created);
}
LayerRef ConvLSTM3D(const ConvLSTM3DArgs& args, std::source_location created) {
  return make_layer<ConvLstmLayer<3>>("ConvLSTM3D", args, created);
}

}  // namespace stoker::layers
