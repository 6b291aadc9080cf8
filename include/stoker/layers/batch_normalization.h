#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct BatchNormalizationArgs {
  int64_t axis = -1;
  double momentum = 0.99, epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros", moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  bool synchronized = false;  // statistics over the rows of all processes
  bool renorm = false;  // batch renormalisation: corrects batch statistics by moving averages …
  Config renorm_clipping = {};  // … within the limits {rmin, rmax, dmax}
  double renorm_momentum = 0.99;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training normalises by batch statistics and updates the moving averages; otherwise, or if not
// trainable, normalises by the averages. Masked time steps are excluded from the statistics.
LayerRef BatchNormalization(const BatchNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

}  // namespace stoker::layers
