#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/array.h"

namespace stoker::nn {

using Document = std::vector<std::string>;  // its tokens

// A layer with a vocabulary that files store.
class HasVocabulary {
 public:
  virtual ~HasVocabulary() = default;
  virtual std::vector<std::string> vocabulary() const = 0;
  // The weights are the tokens' idf weights for tf_idf; empty in other output modes.
  virtual void set_vocabulary(const std::vector<std::string>& tokens,
                              const std::vector<double>& idf_weights) = 0;
  // What a document is depends on the layer: a token, or a text with many tokens.
  virtual void learn_vocabulary(const std::vector<std::string>& documents) = 0;

  // False if the config contains the vocabulary: then files do not store it separately.
  virtual bool is_an_asset() const = 0;
  // As stored in files: the tokens, and separately the weights of all indices, float32 of rank 1.
  // Rank 0: no weights.
  virtual void restore_vocabulary(const std::vector<std::string>& tokens) = 0;
  virtual Array idf_weights() const = 0;
  virtual void restore_idf_weights(const Array& weights) = 0;
};

// For each token: log(1 + documents / (1 + documents with that token)).
std::vector<double> inverse_document_frequencies(const std::vector<std::string>& tokens,
                                                 const std::vector<Document>& documents);
// The texts of an array of string ids, row by row.
std::vector<Document> texts_of_rows(const Array& ids);

// The distinct tokens, most frequent first; ties by descending order, integers by value.
std::vector<std::string> by_frequency(const std::vector<std::string>& tokens, bool integers);

}  // namespace stoker::nn
