#pragma once
#include <cstdint>

#include "stoker/error.h"

namespace stoker {

// Ends every fit, evaluate and predict that is running, in all threads, after the current batch. A
// fit returns with everything saved; evaluate and predict throw Interrupted. Safe in a signal
// handler. What begins later is not affected.
void interrupt();

// Was there an interrupt since the outermost InterruptScope of this thread began?
bool interrupted();

// fit, evaluate and predict each open one. Inside another one it changes nothing: an evaluate in a
// callback of fit neither hides an interrupt from fit nor runs on after it. A program that trains
// several times in a row opens one around all of them, so that an interrupt between two counts.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  friend bool interrupted();
  uint64_t seen_;  // interrupts before it began
};

// What cannot give a part of its result.
struct Interrupted : Error {
  using Error::Error;
};

}  // namespace stoker
