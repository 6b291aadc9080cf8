#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/layer.h"

// Layers with a vocabulary. A tensor of strings contains their string_ids().
namespace stoker::layers {

struct IntegerLookupArgs {
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;  // for out-of-vocabulary tokens; 0: they become -1
  Config mask_token = {}, oov_token = -1;
  Config vocabulary = {};           // a list of tokens
  Config idf_weights = {};          // a list, with output_mode tf_idf
  bool invert = false;              // from indices to tokens
  std::string output_mode = "int";  // or one_hot, multi_hot, count, tf_idf
  bool pad_to_max_tokens = false;
  std::string oov_method = "floormod";
  std::optional<int64_t> vocabulary_size = {};  // if a file stores the vocabulary separately
  std::string name = {};
  DTypePolicy dtype = {};
};
struct StringLookupArgs {
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;  // for out-of-vocabulary tokens; 0: they become -1
  Config mask_token = {}, oov_token = "[UNK]";
  Config vocabulary = {};           // a list of tokens
  Config idf_weights = {};          // a list, with output_mode tf_idf
  bool invert = false;              // from indices to tokens
  std::string output_mode = "int";  // or one_hot, multi_hot, count, tf_idf
  bool pad_to_max_tokens = false;
  std::string encoding = "utf-8";
  std::optional<int64_t> vocabulary_size = {};  // if a file stores the vocabulary separately
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef IntegerLookup(const IntegerLookupArgs& args = {},
                       std::source_location created = std::source_location::current());
LayerRef StringLookup(const StringLookupArgs& args = {},
                      std::source_location created = std::source_location::current());

// Including the mask and out-of-vocabulary tokens, as in Keras's get_vocabulary() and
// vocabulary.txt.
std::vector<std::string> get_vocabulary(const LayerRef& layer);
// With output_mode tf_idf, a weight for each token.
void set_vocabulary(const LayerRef& layer, const std::vector<std::string>& vocabulary,
                    const std::vector<double>& idf_weights = {});
// Learns the vocabulary, most frequent tokens first, and for tf_idf the document frequencies: a
// document is one of these, or a row of an array (layers::adapt of preprocessing.h).
void adapt(const LayerRef& layer, const std::vector<std::string>& tokens);

// The contents of a tensor of strings: 64-bit fingerprints as int64.
Array string_ids(const std::vector<std::string>& strings, const Shape& shape);

}  // namespace stoker::layers
