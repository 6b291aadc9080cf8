#include "stoker/layers/embedding.h"

#include "nn/layers/core/embedding_layer.h"

namespace stoker::layers {

template <class V>
void visit(EmbeddingArgs& a, V& v) {
  nn::visit_embedding(a, v);
  v.accept_and_ignore("input_length");  // of Keras 2
}

namespace {

const nn::RegisterLayer<EmbeddingArgs> registered{"Embedding", Embedding};

}  // namespace

LayerRef Embedding(const EmbeddingArgs& args, std::source_location created) {
  return make_layer<nn::EmbeddingLayer<EmbeddingArgs>>("Embedding", args, created);
}

}  // namespace stoker::layers
