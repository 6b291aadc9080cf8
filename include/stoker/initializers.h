#pragma once
#include <optional>
#include <vector>

#include "stoker/initializer.h"

// The initializers with their arguments; Initializer("he_normal") has the defaults. With a seed the
// values are always the same, without one they depend on the weight's seed.
namespace stoker::initializers {

struct NoArgs {};
Initializer Zeros();
Initializer Ones();

struct ConstantArgs {
  double value = 0;
};
Initializer Constant(const ConstantArgs& args = {});

struct IdentityArgs {
  double gain = 1;
};
Initializer Identity(const IdentityArgs& args = {});

struct NormalArgs {
  double mean = 0, stddev = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomNormal(const NormalArgs& args = {});
Initializer TruncatedNormal(const NormalArgs& args = {});  // truncated at two standard deviations

struct UniformArgs {
  double minval = -0.05, maxval = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomUniform(const UniformArgs& args = {});

// The axes of fan_in and fan_out; by default the last two axes, and the ones before are the window
// of a convolution.
using Axes = std::optional<std::vector<int64_t>>;

struct VarianceScalingArgs {
  double scale = 1;
  std::string mode = "fan_in";                    // or fan_out, fan_avg
  std::string distribution = "truncated_normal";  // or untruncated_normal, uniform
  std::optional<int64_t> seed = {};
  Axes input_axes = {}, output_axes = {};
};
Initializer VarianceScaling(const VarianceScalingArgs& args = {});

struct ScaledArgs {
  std::optional<int64_t> seed = {};
  Axes input_axes = {}, output_axes = {};
};
Initializer GlorotUniform(const ScaledArgs& args = {});
Initializer GlorotNormal(const ScaledArgs& args = {});
Initializer HeUniform(const ScaledArgs& args = {});
Initializer HeNormal(const ScaledArgs& args = {});
Initializer LecunUniform(const ScaledArgs& args = {});
Initializer LecunNormal(const ScaledArgs& args = {});

struct OrthogonalArgs {
  double gain = 1;
  std::optional<int64_t> seed = {};
};
Initializer Orthogonal(const OrthogonalArgs& args = {});

struct STFTArgs {
  std::string side = "real";  // or imag
  Config window = "hann";     // a name, as many numbers as a frame has, or null
  std::optional<std::string> scaling = "density";  // or spectrum, or none
  bool periodic = false;
};
// Kernels (frame, 1, frequencies) whose convolution is a short-time Fourier transform.
Initializer STFT(const STFTArgs& args = {});

}  // namespace stoker::initializers
