#pragma once
#include "stoker/layer.h"

// Layers that mix the samples of a batch in training. They take {images} or {images, labels} with
// one-hot labels; in Keras's files the two are a dict.
namespace stoker::layers {

struct MixUpArgs {
  double alpha = 0.2;  // parameter of the beta distribution of the mixing weights
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Each sample becomes the weighted mean of itself and another sample.
LayerRef MixUp(const MixUpArgs& args = {},
               std::source_location created = std::source_location::current());

struct CutMixArgs {
  Config factor = 1.0;  // range of the beta distribution's alpha
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Each image gets a rectangle of another image; the labels are mixed by its area.
LayerRef CutMix(const CutMixArgs& args = {},
                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
