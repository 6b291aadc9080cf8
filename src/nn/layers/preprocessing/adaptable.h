#pragma once
#include "stoker/array.h"

namespace stoker::nn {

// A layer that learns its state from data, before any training.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  virtual void adapt(const Array& data) = 0;
  virtual bool adapts_to_strings() const { return false; }
  // It runs, but as one that does nothing, before adapt().
  virtual bool has_yet_to_adapt() const { return false; }
};

}  // namespace stoker::nn
