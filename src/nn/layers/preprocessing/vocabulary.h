#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/array.h"

namespace stoker::nn {

using Document = std::vector<std::string>;  // its tokens

// A layer with a vocabulary, as files keep it.
class HasVocabulary {
 public:
  virtual ~HasVocabulary() = default;
  virtual std::vector<std::string> vocabulary() const = 0;
  // The weights are those of the tokens for tf_idf; none with any other output_mode.
  virtual void set_vocabulary(const std::vector<std::string>& tokens,
                              const std::vector<double>& idf_weights) = 0;
  // What a document is made of depends on the layer: a token, or a text that has many.
  virtual void learn_vocabulary(const std::vector<std::string>& documents) = 0;

  // False where the config holds it: then files keep it nowhere else.
  virtual bool is_an_asset() const = 0;
  // As a file keeps it: the tokens apart from the weights, which are for all indices, float32 and
  // rank 1. Rank 0: the layer has none.
  virtual void restore_vocabulary(const std::vector<std::string>& tokens) = 0;
  virtual Array idf_weights() const = 0;
  virtual void restore_idf_weights(const Array& weights) = 0;
};

// log(1 + documents / (1 + documents with that token)) of each token.
std::vector<double> inverse_document_frequencies(const std::vector<std::string>& tokens,
                                                 const std::vector<Document>& documents);
// The texts whose ids an array has, row by row.
std::vector<Document> texts_of_rows(const Array& ids);

// Every different token, the most frequent first, of equally many the largest first; ints by value.
std::vector<std::string> by_frequency(const std::vector<std::string>& tokens, bool integers);

}  // namespace stoker::nn
