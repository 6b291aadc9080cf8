#include "stoker/layers/spectrogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stoker/error.h"

namespace stoker {
namespace {

constexpr int64_t samples = 256, frame = 64;
constexpr int turns = 8;  // in a frame
constexpr double height = 3;

Array wave(const Shape& shape) {
  Array signal(DType::float32, shape);
  for (int64_t i = 0; i < samples; ++i)
    signal.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(
        height * std::cos(2 * std::numbers::pi * turns * static_cast<double>(i) / frame));
  return signal;
}

// The default layer finds a sine wave's frequency and amplitude; the window is normalised.
TEST(STFTSpectrogram, FindsAWave) {
  for (const char* window : {"boxcar", "hann"}) {
    const auto layer = layers::STFTSpectrogram({.mode = "magnitude",
                                                .frame_length = frame,
                                                .window = window,
                                                .periodic = true,
                                                .scaling = "spectrum"});
    const Array y = layer(wave({1, samples, 1})).array();
    ASSERT_EQ(y.shape(), Shape({1, 7, frame / 2 + 1}));
    for (int64_t f = 0; f <= frame / 2; ++f) {
      const double away = std::abs(static_cast<double>(f) - turns);
      const double beside = std::string(window) == "hann" ? height / 4 : 0;
      EXPECT_NEAR(y.at(f), away == 0 ? height / 2 : away == 1 ? beside : 0, 2e-3) << window << f;
    }
  }
}

TEST(MelSpectrogram, TheLoudestBandHoldsTheWave) {
  const auto layer = layers::MelSpectrogram({.fft_length = frame,
                                             .sequence_stride = 32,
                                             .sampling_rate = 1000,
                                             .num_mel_bins = 10,
                                             .min_freq = 0});
  const Array y = layer(wave({samples})).array();  // of 125 Hz and 500 Hz
  ASSERT_EQ(y.shape(), Shape({10, 9}));
  int64_t loudest = 0;
  for (int64_t band = 0; band < 10; ++band)
    if (y.at(band * 9 + 4) > y.at(loudest * 9 + 4)) loudest = band;
  const auto mel = [](double hertz) { return std::log1p(hertz / 700); };
  EXPECT_EQ(loudest, std::lround(mel(125) / mel(500) * 11) - 1);
}

TEST(Spectrogram, MistakesAreRefused) {
  using namespace layers;
  EXPECT_THROW(STFTSpectrogram({.mode = "loud"}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram({.frame_length = 4, .frame_step = 5}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram({.frame_length = 4, .fft_length = 3}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram({.window = "han"}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram({.frame_length = 4, .window = Config::List{1, 2}}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram({.scaling = "none"}), InvalidArgument);
  EXPECT_THROW(STFTSpectrogram()(Array(DType::float32, {2, 300})), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.fft_length = 8, .sequence_length = 9}), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.fft_length = 8, .window = Config::List{1, 2}}), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.fft_length = 1 << 20}), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.num_mel_bins = 1 << 20}), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.window = "blackman"}), InvalidArgument);
  EXPECT_THROW(MelSpectrogram({.fft_length = 8})(Array(DType::float32, {4})), InvalidArgument);
}

}  // namespace
}  // namespace stoker
