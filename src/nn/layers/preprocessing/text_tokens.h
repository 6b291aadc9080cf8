#pragma once
#include <optional>
#include <string>
#include <vector>

namespace stoker::nn {

// How Keras's TextVectorization takes a text apart. None: left as it is.
struct Tokenizer {
  std::optional<std::string> standardize =
      "lower_and_strip_punctuation";                // lower, strip_punctuation
  std::optional<std::string> split = "whitespace";  // character
  std::vector<int64_t> ngrams = {};  // the lengths of runs of tokens; none: the tokens

  std::vector<std::string> operator()(std::string text) const;
};

}  // namespace stoker::nn
