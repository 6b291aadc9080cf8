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

struct ReversibleEmbeddingArgs {
  int64_t input_dim = 0, output_dim = 0;
  bool tie_weights = true;  // false: a table of its own for the way back
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {}, activity_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;
  std::optional<DType> reverse_dtype = {};
  std::optional<double> logit_soft_cap = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// An Embedding that also goes back: called with the option "reverse", it gives a number for every
// row of the table.
LayerRef ReversibleEmbedding(const ReversibleEmbeddingArgs& args,
                             std::source_location created = std::source_location::current());

}  // namespace stoker::layers
