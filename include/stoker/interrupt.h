#pragma once
#include "stoker/error.h"

namespace stoker {

// Stops every running fit, evaluate and predict in all threads after the current batch. A fit
// returns with everything saved; evaluate and predict throw Interrupted. Async-signal-safe. Later
// calls are not affected.
void interrupt();

// Was there an interrupt since the outermost InterruptScope of this thread?
bool interrupted();

// Opened by fit, evaluate and predict. A nested scope has no effect: an evaluate in a callback of
// fit neither hides an interrupt from fit nor continues after it. A program that trains several
// times opens one around all of them, so that an interrupt between two counts.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const bool outermost_;
};

// Thrown where a partial result is not possible.
struct Interrupted : Error {
  using Error::Error;
};

}  // namespace stoker
