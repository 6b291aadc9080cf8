#pragma once
#include "stoker/array.h"

namespace stoker::nn {

// A layer that learns its state from data, before any training.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  virtual void adapt(const Array& data) = 0;
};

}  // namespace stoker::nn
