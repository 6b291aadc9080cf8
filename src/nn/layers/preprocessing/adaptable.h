#pragma once
#include <functional>
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// Returns the data in parts of some rows each, then nothing.
using DataParts = std::function<std::optional<Array>()>;
// All rows in one array.
Array joined(const DataParts& parts);

// A layer that learns its state from data, before any training.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  virtual void adapt(const Array& data) = 0;
  // Layers that need not hold all data at once override this.
  virtual void adapt_to_parts(const DataParts& parts) { adapt(joined(parts)); }
  virtual bool adapts_to_strings() const { return false; }
  // True if the layer can run before adapt() but then has no effect.
  virtual bool has_yet_to_adapt() const { return false; }
};

}  // namespace stoker::nn
