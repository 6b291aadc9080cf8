#pragma once
#include "stoker/layer.h"
#include "stoker/layers/axes.h"

// Normalisations that look at one sample at a time.
namespace stoker::layers {

struct LayerNormalizationArgs {
  Axes axis = -1;
  double epsilon = 1e-3;
  bool center = true, scale = true;
  bool rms_scaling = false;  // neither centred before nor after; by the variance, as Keras has it
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Mean 0 and variance 1 over the given axes, then gamma and beta.
LayerRef LayerNormalization(const LayerNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

struct GroupNormalizationArgs {
  int64_t groups = 32;  // -1: one for each channel
  int64_t axis = -1;
  double epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Mean 0 and variance 1 within each group of channels.
LayerRef GroupNormalization(const GroupNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

struct RMSNormalizationArgs {
  Axes axis = -1;
  double epsilon = 1e-6;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Divides by the root of the mean square, then multiplies by a learned scale.
LayerRef RMSNormalization(const RMSNormalizationArgs& args = {},
                          std::source_location created = std::source_location::current());

struct UnitNormalizationArgs {
  Axes axis = -1;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Divides by the Euclidean norm.
LayerRef UnitNormalization(const UnitNormalizationArgs& args = {},
                           std::source_location created = std::source_location::current());

}  // namespace stoker::layers
