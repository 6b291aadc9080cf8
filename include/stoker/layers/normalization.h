#pragma once
#include "stoker/layer.h"
#include "stoker/layers/axes.h"

// Normalisations within each sample.
namespace stoker::layers {

struct LayerNormalizationArgs {
  Axes axis = -1;
  double epsilon = 1e-3;
  bool center = true, scale = true;
  // neither subtracts the mean nor adds beta; divides by the variance's root, as in Keras
  bool rms_scaling = false;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Normalises to mean 0 and variance 1 over the given axes, then applies gamma and beta.
LayerRef LayerNormalization(const LayerNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

struct GroupNormalizationArgs {
  int64_t groups = 32;  // -1: one per channel
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
// Normalises to mean 0 and variance 1 within each group of channels.
LayerRef GroupNormalization(const GroupNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

struct RMSNormalizationArgs {
  Axes axis = -1;
  double epsilon = 1e-6;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Divides by the root mean square, then multiplies by a learned scale.
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
