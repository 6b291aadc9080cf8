#pragma once
#include <optional>
#include <vector>

#include "stoker/element.h"
#include "stoker/random.h"

namespace stoker {

// What Dataset::map calls, by any number of threads. One that knows beforehand what it makes can
// write it straight into a row of a batch.
class ElementFunction {
 public:
  virtual ~ElementFunction() = default;
  virtual Element call(const Element& element, Random& random) const = 0;
  // Whether it uses its random numbers, so that its results differ from pass to pass.
  virtual bool is_random() const { return false; }

  // What is made of such elements, if that is known without calling it: then write() is there.
  virtual std::optional<ElementSpec> spec(const ElementSpec& of) const {
    (void)of;
    return std::nullopt;
  }
  // To the places of the result's arrays.
  virtual void write(const Element& element, Random& random,
                     const std::vector<std::byte*>& to) const {
    (void)element, (void)random, (void)to;
  }
};

}  // namespace stoker
