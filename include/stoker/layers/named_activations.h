#pragma once
#include <optional>
#include <vector>

#include "stoker/layer.h"
#include "stoker/layers/axes.h"
#include "stoker/sizes.h"

// Activations that are separate layers in Keras, with their arguments.
namespace stoker::layers {

struct ReLUArgs {
  std::optional<double> max_value = {};
  double negative_slope = 0, threshold = 0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef ReLU(const ReLUArgs& args = {},
              std::source_location created = std::source_location::current());

struct LeakyReLUArgs {
  double negative_slope = 0.3;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef LeakyReLU(const LeakyReLUArgs& args = {},
                   std::source_location created = std::source_location::current());

struct ELUArgs {
  double alpha = 1;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef ELU(const ELUArgs& args = {},
             std::source_location created = std::source_location::current());

struct SoftmaxArgs {
  Axes axis = -1;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Softmax(const SoftmaxArgs& args = {},
                 std::source_location created = std::source_location::current());

struct PReLUArgs {
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  Integers shared_axes = {};  // axes along which the learned slope is shared, from 1
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// A leaky ReLU with learned negative slopes, one per feature.
LayerRef PReLU(const PReLUArgs& args = {},
               std::source_location created = std::source_location::current());

}  // namespace stoker::layers
