#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct EmbeddingArgs {
  int64_t input_dim = 0, output_dim = 0;
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {}, activity_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// A row of a table for each index.
LayerRef Embedding(const EmbeddingArgs& args,
                   std::source_location created = std::source_location::current());

}  // namespace stoker::layers
