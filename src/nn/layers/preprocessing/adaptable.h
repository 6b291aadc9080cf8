#pragma once
#include <functional>
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// Gives one part of the data, some rows of it, after the other, then nothing.
using DataParts = std::function<std::optional<Array>()>;
// All rows in one array.
Array joined(const DataParts& parts);

// A layer that learns its state from data, before any training.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  virtual void adapt(const Array& data) = 0;
  // One that need not hold all data at once does it its own way.
  virtual void adapt_to_parts(const DataParts& parts) { adapt(joined(parts)); }
  virtual bool adapts_to_strings() const { return false; }
  // It runs, but as one that does nothing, before adapt().
  virtual bool has_yet_to_adapt() const { return false; }
};

}  // namespace stoker::nn
