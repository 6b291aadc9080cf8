#pragma once
#include <algorithm>
#include <vector>

#include "ledger/ledger.h"
#include "stoker/callback.h"

namespace stoker::nn {

// A callback that saves what the others did: its hooks are called after theirs.
struct ComesLast {
  virtual ~ComesLast() = default;
};

// Calls a hook of every callback and books the time.
class CallbackList {
 public:
  CallbackList(std::vector<CallbackRef> callbacks, Model& model, const FitParams& params,
               ledger::Ledger& ledger)
      : callbacks_(std::move(callbacks)), ledger_(ledger) {
    std::stable_partition(callbacks_.begin(), callbacks_.end(), [](const auto& callback) {
      return !dynamic_cast<const ComesLast*>(callback.get());
    });
    for (const auto& callback : callbacks_) callback->attach(&model, params);
    wants_batches_ = std::any_of(callbacks_.begin(), callbacks_.end(),
                                 [](const auto& c) { return c->wants_batches(); });
  }

  template <class Hook, class... Args>
  void call(Hook hook, Args&&... args) {
    if (callbacks_.empty()) return;
    const ledger::Scope scope(ledger_, ledger::Activity::callback);
    for (const auto& callback : callbacks_) (callback.get()->*hook)(args...);
  }
  bool empty() const { return callbacks_.empty(); }
  bool wants_batches() const { return wants_batches_; }
  const std::vector<CallbackRef>& all() const { return callbacks_; }

 private:
  std::vector<CallbackRef> callbacks_;
  ledger::Ledger& ledger_;
  bool wants_batches_ = false;
};

}  // namespace stoker::nn
