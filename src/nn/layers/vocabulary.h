#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/array.h"

namespace stoker::nn {

// A layer with a vocabulary, as files keep it.
class HasVocabulary {
 public:
  virtual ~HasVocabulary() = default;
  virtual std::vector<std::string> vocabulary() const = 0;
  virtual void set_vocabulary(const std::vector<std::string>& tokens) = 0;
  virtual void learn_vocabulary(const std::vector<std::string>& tokens) = 0;
  // False where the config holds it: then files keep it nowhere else.
  virtual bool is_an_asset() const = 0;
};

// Every different token, the most frequent first, of equally many the largest first; ints by value.
std::vector<std::string> by_frequency(const std::vector<std::string>& tokens, bool integers);

}  // namespace stoker::nn
