#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"

// Spectrograms: frequencies of a signal over time.
namespace stoker::layers {

struct STFTSpectrogramArgs {
  std::string mode = "log";  // or magnitude, psd, real, imag, angle, stft
  int64_t frame_length = 256;
  std::optional<int64_t> frame_step = {};  // default: half a frame
  std::optional<int64_t> fft_length = {};  // default: the next power of two
  Config window = "hann";                  // a name, the numbers, or null
  bool periodic = false;
  std::optional<std::string> scaling = "density";  // or spectrum, or none
  std::string padding = "valid";                   // or same
  bool expand_dims = false;                        // channels get a separate axis
  std::string data_format = "channels_last";
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// For signals (batch, time, channels); the Fourier kernels can be trained.
LayerRef STFTSpectrogram(const STFTSpectrogramArgs& args = {},
                         std::source_location created = std::source_location::current());

struct MelSpectrogramArgs {
  int64_t fft_length = 2048, sequence_stride = 512;
  std::optional<int64_t> sequence_length = {};  // default: the length of the transform
  Config window = "hann";                       // or hamming, the numbers, or null
  int64_t sampling_rate = 16000, num_mel_bins = 128;
  double min_freq = 20;
  std::optional<double> max_freq = {};  // default: half the sampling rate
  bool power_to_db = true;
  double top_db = 80, mag_exp = 2, min_power = 1e-10, ref_power = 1;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// For signals (batch, time) or (time): (batch, bands, frames) on the mel scale.
LayerRef MelSpectrogram(const MelSpectrogramArgs& args = {},
                        std::source_location created = std::source_location::current());

}  // namespace stoker::layers
