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
  bool synchronized = false;    // statistics over the rows of all processes
  bool renorm = false;          // corrects the batch's statistics by averages of their own …
  Config renorm_clipping = {};  // … as far as {rmin, rmax, dmax} allow
  double renorm_momentum = 0.99;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training normalises by the batch's own statistics and moves the averages towards them;
// otherwise, or when not trainable, by the averages. A mask keeps steps out of the statistics.
LayerRef BatchNormalization(const BatchNormalizationArgs& args = {},
                            std::source_location created = std::source_location::current());

}  // namespace stoker::layers
