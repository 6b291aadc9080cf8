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
// Looks up a row of a table for each index.
LayerRef Embedding(const EmbeddingArgs& args,
                   std::source_location created = std::source_location::current());

struct ReversibleEmbeddingArgs {
  int64_t input_dim = 0, output_dim = 0;
  bool tie_weights = true;  // false: a separate table for the reverse direction
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
// An Embedding with a reverse direction: with the option "reverse" it multiplies by the transposed
// table and returns a logit for every row.
LayerRef ReversibleEmbedding(const ReversibleEmbeddingArgs& args,
                             std::source_location created = std::source_location::current());

}  // namespace stoker::layers
