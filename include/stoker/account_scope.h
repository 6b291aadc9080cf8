#pragma once
#include <memory>
#include <source_location>

#include "stoker/account.h"

namespace stoker {

// Books where the time of a loop of one's own goes, as fit does for its own: calls of
// stoker::function, single ops, train_on_batch, the elements of a Dataset, tensors that are read.
// It sees what the thread does that made it, until it is destroyed. The rest of the time, the
// program's own code, is the part "outside".
class AccountScope {
 public:
  explicit AccountScope(std::source_location created = std::source_location::current());
  ~AccountScope();
  AccountScope(const AccountScope&) = delete;
  AccountScope& operator=(const AccountScope&) = delete;

  // One more step is done. Steps of train_on_batch count by themselves; where nothing is said, each
  // run of a compiled function or op is a step.
  void step(int64_t samples = 0);
  Account account() const;  // so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
