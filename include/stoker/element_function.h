#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/element.h"
#include "stoker/random.h"

namespace stoker {

// A function for Dataset::map, called by any number of threads. One that knows its result's type in
// advance can write it directly into a row of a batch.
class ElementFunction {
 public:
  virtual ~ElementFunction() = default;
  virtual Element call(const Element& element, Random& random) const = 0;
  // What its results depend on, as far as it knows: a cache on disk is not used for another one.
  virtual std::string identity() const { return {}; }
  // Does it use random numbers, so that its results differ between passes?
  virtual bool is_random() const { return false; }

  // The type of the results for such elements, if known without calling it: then write() is
  // available.
  virtual std::optional<ElementSpec> spec(const ElementSpec& of) const {
    (void)of;
    return std::nullopt;
  }
  // Writes to the memory of the result's arrays.
  virtual void write(const Element& element, Random& random,
                     const std::vector<std::byte*>& to) const {
    (void)element, (void)random, (void)to;
  }
};

}  // namespace stoker
