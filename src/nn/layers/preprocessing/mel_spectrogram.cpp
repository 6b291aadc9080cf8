#include <cmath>
#include <numbers>

#include "nn/functional.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/mel_bands.h"
#include "nn/operations/axis_helpers.h"
#include "nn/signal_window.h"
#include "stoker/layers/spectrogram.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/spatial.h"

namespace stoker::layers {

template <class V>
void visit(MelSpectrogramArgs& a, V& v) {
  v("fft_length", a.fft_length);
  v("sequence_stride", a.sequence_stride);
  v("sequence_length", a.sequence_length);
  v("window", a.window);
  v("sampling_rate", a.sampling_rate);
  v("num_mel_bins", a.num_mel_bins);
  v("min_freq", a.min_freq);
  v("max_freq", a.max_freq);
  v("power_to_db", a.power_to_db);
  v("top_db", a.top_db);
  v("mag_exp", a.mag_exp);
  v("min_power", a.min_power);
  v("ref_power", a.ref_power);
  nn::visit_layer(a, v);
}

namespace {

Tensor decibels(const Tensor& power) { return ops::log(power) * (10 * std::numbers::log10e); }

class MelSpectrogramLayer : public nn::ArgsLayer<MelSpectrogramArgs> {
 public:
  MelSpectrogramLayer(const MelSpectrogramArgs& args, std::source_location created)
      : ArgsLayer("MelSpectrogram", args, created) {
    fill_in_defaults();
    expect_positive("fft_length", {args.fft_length});
    expect_positive("sequence_stride", {args.sequence_stride});
    expect_positive("sequence_length", {*args_.sequence_length});
    expect_positive("sampling_rate", {args.sampling_rate});
    expect_positive("num_mel_bins", {args.num_mel_bins});
    if (*args_.sequence_length > args.fft_length)
      fail(fmt::format("fft_length must not be less than sequence_length, got {} and {}.",
                       args.fft_length, *args_.sequence_length));
    const Config& window = args.window;
    if (window.is_string() && window.as_string() != "hann" && window.as_string() != "hamming")
      fail(fmt::format("window must be hann, hamming or numbers, got \"{}\".", window.as_string()));
    if (!window.is_string() && !window.is_null())
      nn::signal_window(window, *args_.sequence_length, true);  // checks the arguments
    expect_few("fft_length", args.fft_length);
    expect_few("num_mel_bins", args.num_mel_bins);
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Shape& shape = x.shape();
    if (shape.rank() < 1) fail("expects signals (batch, time), got one number.");
    const int64_t time = shape.back(), margin = args_.fft_length / 2;
    if (time <= margin)
      fail(fmt::format("needs more than {} samples, half an fft_length, got input {}.", margin,
                       to_string(shape)));
    const auto [waves, bands] = constants();
    const Tensor power = spectrum(ops::reshape(ops::cast(x, DType::float32), {-1, time}), waves);
    const Tensor heard = ops::matmul(ops::reshape(power, {-1, frequencies()}), bands);
    auto dims = shape.dims();
    dims.back() = power.shape()[1];
    dims.push_back(args_.num_mel_bins);
    const Tensor y = ops::reshape(args_.power_to_db ? scaled(heard) : heard, Shape(dims));
    const auto rank = static_cast<int64_t>(dims.size());
    return ops::cast(nn::moved(y, rank - 1, rank - 2), compute_dtype());
  }

 private:
  int64_t frequencies() const { return args_.fft_length / 2 + 1; }

  // The Fourier transform is a product with a matrix, which must fit into memory.
  void expect_few(const char* argument, int64_t rows) const {
    constexpr double most = 1 << 28;
    const double numbers = static_cast<double>(rows) * static_cast<double>(frequencies());
    if (numbers > most)
      fail(fmt::format(
          "{} is too large: its matrix would have {} numbers, and at most {} are supported.",
          argument, numbers, most));
  }

  struct Constants {
    Tensor waves, bands;
  };
  // A trial call needs only shapes, and may be of a file that is never run.
  Constants constants() {
    if (nn::is_trial())
      return {ops::fill({args_.fft_length, 1, 2 * frequencies()}, 0),
              ops::fill({frequencies(), args_.num_mel_bins}, 0)};
    if (!waves_.defined()) {
      waves_ = waves();
      bands_ = nn::mel_bands({.frequencies = frequencies(),
                              .bands = args_.num_mel_bins,
                              .sampling_rate = args_.sampling_rate,
                              .low = args_.min_freq,
                              .high = *args_.max_freq});
    }
    return {waves_, bands_};
  }

  void fill_in_defaults() {
    if (args_.sequence_length.value_or(0) == 0) args_.sequence_length = args_.fft_length;
    if (args_.max_freq.value_or(0) == 0)
      args_.max_freq = static_cast<double>(args_.sampling_rate / 2);
  }

  // (signals, time) → (signals, frames, frequencies); both ends are padded by half a frame with
  // reflection.
  Tensor spectrum(const Tensor& signals, const Tensor& waves) const {
    const int64_t margin = args_.fft_length / 2;
    const Tensor longer =
        nn::is_trial() ? ops::pad(signals, {0, margin}, {0, margin}) : mirrored(signals, margin);
    const Tensor both =
        ops::conv(ops::expand_dims(longer, -1), waves, {.strides = {args_.sequence_stride}});
    const Tensor real = nn::part(both, 2, 0, frequencies()),
                 imag = nn::part(both, 2, frequencies(), frequencies());
    const Tensor squares = ops::square(real) + ops::square(imag);
    return args_.mag_exp == 2 ? squares : ops::power(squares, args_.mag_exp / 2);
  }

  static Tensor mirrored(const Tensor& signals, int64_t margin) {
    const int64_t time = signals.shape()[1];
    std::vector<int64_t> places;
    for (int64_t i = -margin; i < time + margin; ++i)
      places.push_back(i < 0 ? -i : i >= time ? 2 * (time - 1) - i : i);
    return nn::picked(signals, 1, places);
  }

  Tensor scaled(const Tensor& heard) const {
    const double reference = std::max(std::abs(args_.ref_power), args_.min_power);
    const Tensor loudness =
        decibels(ops::maximum(heard, args_.min_power)) - 10 * std::log10(reference);
    return ops::maximum(loudness, ops::max(loudness, {}) - args_.top_db);
  }

  // (frame, 1, cosines and sines): the window is centred in the frame. Windows of odd length are
  // periodic, too, as on all Keras backends but TensorFlow.
  Array waves() const {
    const int64_t frame = args_.fft_length, length = *args_.sequence_length, n = frequencies();
    const auto window = nn::signal_window(args_.window, length, true);
    const int64_t before = args_.window.is_null() ? 0 : (frame - length) / 2;
    Array kernel(DType::float32, {frame, 1, 2 * n});
    auto values = kernel.mutable_data<float>();
    for (int64_t t = 0; t < frame; ++t) {
      const int64_t at = t - before;
      const bool inside = at >= 0 && at < length;
      const double weight = args_.window.is_null() ? 1
                            : inside               ? window[static_cast<size_t>(at)]
                                                   : 0;
      for (int64_t f = 0; f < n; ++f) {
        const double turns = static_cast<double>(t * f % frame) / static_cast<double>(frame);
        const double angle = -2 * std::numbers::pi * turns;
        values[static_cast<size_t>(t * 2 * n + f)] = static_cast<float>(weight * std::cos(angle));
        values[static_cast<size_t>(t * 2 * n + n + f)] =
            static_cast<float>(weight * std::sin(angle));
      }
    }
    return kernel;
  }

  Array waves_, bands_;  // computed by the first call
};

const nn::RegisterLayer<MelSpectrogramArgs> registered{"MelSpectrogram", MelSpectrogram};

}  // namespace

LayerRef MelSpectrogram(const MelSpectrogramArgs& args, std::source_location created) {
  return make_layer<MelSpectrogramLayer>(args, created);
}

}  // namespace stoker::layers
