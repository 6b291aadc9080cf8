#pragma once
#include <memory>
#include <source_location>

#include "stoker/account.h"

namespace stoker {

struct Headroom;

// An account of time for your own training loop, like that of fit: calls of stoker::function,
// single ops, train_on_batch, reading elements of a Dataset and values of tensors. It covers the
// thread that created it, until it is destroyed. The rest of the time, the program's own code, is
// the part "outside".
class AccountScope {
 public:
  explicit AccountScope(std::source_location created = std::source_location::current());
  ~AccountScope();
  AccountScope(const AccountScope&) = delete;
  AccountScope& operator=(const AccountScope&) = delete;

  // Marks the end of a step. Steps of train_on_batch count automatically; without marks each run of
  // a compiled function or op is a step.
  void step(int64_t samples = 0);
  void stop();              // the loop has ended: what comes now is not part of it
  Account account() const;  // so far
  // With what measure_headroom found, its advice has numbers that only a trial tells.
  Account account(const Headroom& tried) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
