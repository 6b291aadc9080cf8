#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "nn/initializers/initializer_impl.h"
#include "nn/signal_window.h"
#include "stoker/initializers.h"

namespace stoker::initializers {

template <class V>
void visit(STFTArgs& a, V& v) {
  v("side", a.side);
  v("window", a.window);
  v("periodic", a.periodic);
  v("scaling", a.scaling);
}

namespace {

float divisor_of(const std::vector<float>& window, const STFTArgs& args) {
  if (args.window.is_null() || !args.scaling) return 1;
  double sum = 0;
  for (float value : window) sum += *args.scaling == "density" ? value * value : std::abs(value);
  return static_cast<float>(*args.scaling == "density" ? std::sqrt(sum) : sum);
}

// Angles are rounded to float32 where Keras rounds them: they are large, so the rounding is
// visible.
void fill_waves(const STFTArgs& args, Array& out, uint64_t) {
  const Shape& shape = out.shape();
  if (shape.rank() != 3 || shape[1] != 1)
    throw InvalidArgument(
        fmt::format("[stft] makes kernels (frame, 1, frequencies), not {}.", to_string(shape)));
  const int64_t frame = shape[0], frequencies = shape[2];
  const auto window = nn::signal_window(args.window, frame, args.periodic);
  const float divisor = divisor_of(window, args), pi = std::numbers::pi_v<float>;
  const auto period = static_cast<float>((frequencies - 1) * 2);
  auto values = out.mutable_data<float>();
  for (int64_t t = 0; t < frame; ++t)
    for (int64_t f = 0; f < frequencies; ++f) {
      const float turns = -2 * static_cast<float>(t) * (static_cast<float>(f) / period);
      const float angle = turns * pi,
                  wave = args.side == "real" ? std::cos(angle) : std::sin(angle);
      values[static_cast<size_t>(t * frequencies + f)] =
          wave * window[static_cast<size_t>(t)] / divisor;
    }
}

const nn::RegisterInitializer<STFTArgs> registered{"STFT", STFT, {"STFTInitializer"}};

}  // namespace

Initializer STFT(const STFTArgs& args) {
  if (args.side != "real" && args.side != "imag")
    throw InvalidArgument(fmt::format("[stft] side must be real or imag, got \"{}\".", args.side));
  if (args.scaling && *args.scaling != "density" && *args.scaling != "spectrum")
    throw InvalidArgument(fmt::format(
        "[stft] scaling must be density, spectrum or none, got \"{}\".", *args.scaling));
  nn::check_signal_window(args.window);
  return nn::make_initializer("STFT", args, fill_waves);
}

}  // namespace stoker::initializers
