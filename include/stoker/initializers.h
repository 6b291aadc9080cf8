#pragma once
#include <optional>

#include "stoker/initializer.h"

// The initializers with their arguments; Initializer("he_normal") has the defaults. One with a seed
// gives the same numbers every time, one without those of the weight's own seed.
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
Initializer TruncatedNormal(const NormalArgs& args = {});  // redrawn beyond two deviations

struct UniformArgs {
  double minval = -0.05, maxval = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomUniform(const UniformArgs& args = {});

struct VarianceScalingArgs {
  double scale = 1;
  std::string mode = "fan_in";                    // or fan_out, fan_avg
  std::string distribution = "truncated_normal";  // or untruncated_normal, uniform
  std::optional<int64_t> seed = {};
};
Initializer VarianceScaling(const VarianceScalingArgs& args = {});

struct SeedArgs {
  std::optional<int64_t> seed = {};
};
Initializer GlorotUniform(const SeedArgs& args = {});
Initializer GlorotNormal(const SeedArgs& args = {});
Initializer HeUniform(const SeedArgs& args = {});
Initializer HeNormal(const SeedArgs& args = {});
Initializer LecunUniform(const SeedArgs& args = {});
Initializer LecunNormal(const SeedArgs& args = {});

struct OrthogonalArgs {
  double gain = 1;
  std::optional<int64_t> seed = {};
};
Initializer Orthogonal(const OrthogonalArgs& args = {});

}  // namespace stoker::initializers
