#pragma once
#include "stoker/layer.h"

// Layers that mix the samples of a batch in training. They take {images} or {images, labels}, the
// labels one-hot; in Keras's files the two are a table.
namespace stoker::layers {

struct MixUpArgs {
  double alpha = 0.2;  // of the beta distribution that the shares come from
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Every sample becomes the weighted mean of itself and another one.
LayerRef MixUp(const MixUpArgs& args = {},
               std::source_location created = std::source_location::current());

struct CutMixArgs {
  Config factor = 1.0;  // where the beta distribution's alpha is drawn from
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Every image gets a rectangle of another one; the labels are mixed by its area.
LayerRef CutMix(const CutMixArgs& args = {},
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
