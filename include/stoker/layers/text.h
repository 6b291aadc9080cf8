#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"

// Layers that process strings, and therefore run on the host inside a step.
namespace stoker::layers {

struct TextVectorizationArgs {
  std::optional<int64_t> max_tokens = {};
  Config standardize = "lower_and_strip_punctuation";  // or lower, strip_punctuation, none
  Config split = "whitespace";                         // or character, none
  Config ngrams = {};                                  // maximum length, or a list of lengths
  std::string output_mode = "int";                     // or multi_hot, count, tf_idf
  std::optional<int64_t> output_sequence_length = {};  // required for int
  bool pad_to_max_tokens = false;
  Config vocabulary = {}, idf_weights = {};
  std::string encoding = "utf-8";
  std::optional<int64_t> vocabulary_size = {};  // if a file stores the vocabulary separately
  std::string name = {};
  DTypePolicy dtype = {};
};
LayerRef TextVectorization(const TextVectorizationArgs& args = {},
                           std::source_location created = std::source_location::current());

struct HashingArgs {
  int64_t num_bins = 0;
  Config mask_value = {};           // goes to bin 0, which is reserved for it
  Config salt = {};                 // a number or two: another hash function
  std::string output_mode = "int";  // or one_hot, multi_hot, count
  std::string name = {};
  DTypePolicy dtype = {};
};
// TensorFlow's hash bins of strings, or of integers' digits.
LayerRef Hashing(const HashingArgs& args,
                 std::source_location created = std::source_location::current());

struct HashedCrossingArgs {
  int64_t num_bins = 0;
  std::string output_mode = "int";  // or one_hot
  std::string name = {};
  DTypePolicy dtype = {};
};
// TensorFlow's hash bins of crossed features: strings or integers, (batch) or (batch, 1).
LayerRef HashedCrossing(const HashedCrossingArgs& args,
                        std::source_location created = std::source_location::current());

}  // namespace stoker::layers
