#include <bit>

#include "nn/layers/spatial_layer.h"
#include "nn/operations/arctangent.h"
#include "nn/operations/axis_helpers.h"
#include "nn/signal_window.h"
#include "stoker/initializers.h"
#include "stoker/layers/spectrogram.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/spatial.h"

namespace stoker::layers {

template <class V>
void visit(STFTSpectrogramArgs& a, V& v) {
  v("mode", a.mode);
  v("frame_length", a.frame_length);
  v("frame_step", a.frame_step);
  v("fft_length", a.fft_length);
  v("window", a.window);
  v("periodic", a.periodic);
  v("scaling", a.scaling);
  v("padding", a.padding);
  v("expand_dims", a.expand_dims);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

constexpr double epsilon = 1e-7;  // Keras's

class STFTSpectrogramLayer : public nn::SpatialLayer<STFTSpectrogramArgs, 1> {
 public:
  STFTSpectrogramLayer(const STFTSpectrogramArgs& args, std::source_location created)
      : SpatialLayer("STFTSpectrogram", args, created) {
    expect_positive("frame_length", {args.frame_length});
    step_ = args.frame_step.value_or(args.frame_length / 2);
    if (step_ < 1 || step_ > args.frame_length)
      fail(fmt::format("frame_step must be between 1 and frame_length, got {} and {}.", step_,
                       args.frame_length));
    const auto next_power = std::bit_ceil(static_cast<uint64_t>(args.frame_length));
    const int64_t length = args.fft_length.value_or(static_cast<int64_t>(next_power));
    if (length < args.frame_length)
      fail(fmt::format("fft_length must not be less than frame_length, got {} and {}.", length,
                       args.frame_length));
    frequencies_ = length / 2 + 1;
    expect_one_of("mode", args.mode, {"log", "magnitude", "psd", "real", "imag", "angle", "stft"});
    expect_one_of("padding", args.padding, {"valid", "same"});
    if (args.window.is_string() || args.window.is_null())
      nn::check_signal_window(args.window);
    else
      nn::signal_window(args.window, args.frame_length, args.periodic);
    initializer("real");  // checks the scaling
  }

  void build(const Shape& input) override {
    SpatialLayer::build(input);
    const Shape shape{args_.frame_length, 1, frequencies_};
    if (args_.mode != "imag")
      real_ = add_weight("real_kernel", {.shape = shape, .initializer = initializer("real")});
    if (args_.mode != "real")
      imag_ = add_weight("imag_kernel", {.shape = shape, .initializer = initializer("imag")});
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_input(x.shape());
    if (x.dtype() != DType::float32 && x.dtype() != DType::float16)
      fail(fmt::format("expects float32 or float16, got {}.", name_of(x.dtype())));
    const Tensor signals = channels_first() ? x : ops::transpose(x, {0, 2, 1});
    return arranged(compute(signals));
  }

 private:
  // (batch, channels, time) → (batch, channels, frames, frequencies)
  Tensor compute(const Tensor& signals) override {
    const std::string& mode = args_.mode;
    if (mode == "real") return transformed(signals, real_);
    if (mode == "imag") return transformed(signals, imag_);
    const Tensor real = transformed(signals, real_), imag = transformed(signals, imag_);
    if (mode == "angle") return nn::arctan2(imag, real);
    if (mode == "stft") return ops::concatenate({real, imag});
    const Tensor power = ops::square(real) + ops::square(imag);
    if (mode == "psd") return both_sides(power);
    const Tensor magnitude = ops::sqrt(ops::maximum(power, epsilon));
    return mode == "magnitude" ? magnitude : ops::log(ops::maximum(magnitude, epsilon));
  }

  Tensor transformed(const Tensor& signals, const Variable& kernel) const {
    const int64_t channels = signals.shape()[1], time = signals.shape()[2];
    const bool same = args_.padding == "same";
    const auto margins = ops::same_padding(time, args_.frame_length, step_);
    const Tensor frames = ops::conv(
        ops::reshape(signals, {-1, time, 1}), kernel,
        {.strides = {step_},
         .padding = same ? std::vector(margins.begin(), margins.end()) : std::vector<int64_t>{}});
    return ops::reshape(frames, {-1, channels, frames.shape()[1], frequencies_});
  }

  // All frequencies but the first and the last also stand for a negative frequency.
  Tensor both_sides(const Tensor& power) const {
    if (frequencies_ < 3) return power;
    const Tensor middle = nn::part(power, 3, 1, frequencies_ - 2);
    return power + ops::pad(middle, {0, 0, 0, 1}, {0, 0, 0, 1});
  }

  Tensor arranged(const Tensor& y) const {
    const int64_t channels = y.shape()[1], frames = y.shape()[2], all = channels * y.shape()[3];
    if (args_.expand_dims) return channels_first() ? y : ops::transpose(y, {0, 2, 3, 1});
    return channels_first() ? ops::reshape(ops::transpose(y, {0, 1, 3, 2}), {-1, all, frames})
                            : ops::reshape(ops::transpose(y, {0, 2, 1, 3}), {-1, frames, all});
  }

  Initializer initializer(const char* side) const {
    return initializers::STFT({.side = side,
                               .window = args_.window,
                               .scaling = args_.scaling,
                               .periodic = args_.periodic});
  }
  void expect_one_of(const char* argument, const std::string& value,
                     const std::vector<std::string>& known) const {
    if (std::ranges::find(known, value) == known.end())
      fail(fmt::format("unknown {} \"{}\".", argument, value), did_you_mean(value, known));
  }

  int64_t step_ = 1, frequencies_ = 1;
  Variable real_, imag_;
};

const nn::RegisterLayer<STFTSpectrogramArgs> registered{"STFTSpectrogram", STFTSpectrogram};

}  // namespace

LayerRef STFTSpectrogram(const STFTSpectrogramArgs& args, std::source_location created) {
  return make_layer<STFTSpectrogramLayer>(args, created);
}

}  // namespace stoker::layers
