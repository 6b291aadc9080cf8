#pragma once
#include <optional>
#include <string>
#include <vector>

namespace stoker::nn {

// How Keras's TextVectorization splits a text. None: no splitting.
struct Tokenizer {
  std::optional<std::string> standardize =
      "lower_and_strip_punctuation";                // lower, strip_punctuation
  std::optional<std::string> split = "whitespace";  // character
  std::vector<int64_t> ngrams = {};                 // n-gram lengths; empty: single tokens

  std::vector<std::string> operator()(std::string text) const;
};

}  // namespace stoker::nn
