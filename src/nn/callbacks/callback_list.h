#pragma once
#include "nn/callbacks/batch_calls.h"

namespace stoker::nn {

// A callback that saves the others' results: its hooks are called after theirs.
struct ComesLast {
  virtual ~ComesLast() = default;
};

// The callbacks of one fit, evaluate or predict.
class CallbackList {
 public:
  CallbackList(std::vector<CallbackRef> callbacks, Model& model, const FitParams& params,
               ledger::Ledger& ledger)
      : callbacks_(std::move(callbacks)), model_(model), params_(params), caller_(ledger) {
    std::stable_partition(callbacks_.begin(), callbacks_.end(), [](const auto& callback) {
      return !dynamic_cast<const ComesLast*>(callback.get());
    });
    for (const auto& callback : callbacks_) {
      callback->attach(&model, params);
      const BatchHooks& hooks = callback.batch_hooks();
      train.add(*callback, hooks.train_begin, hooks.train_end);
      test.add(*callback, hooks.test_begin, hooks.test_end);
      predict.add(*callback, hooks.predict_begin, hooks.predict_end);
    }
  }

  template <class Hook, class... Args>
  void call(Hook hook, Args&&... args) const {
    for (const auto& callback : callbacks_)
      caller_(*callback, [&] { (callback.get()->*hook)(args...); });
  }
  // Steps per epoch, once known.
  void set_steps(int64_t steps) {
    params_.steps = steps;
    for (const auto& callback : callbacks_) callback->attach(&model_, params_);
  }
  bool empty() const { return callbacks_.empty(); }
  const std::vector<CallbackRef>& all() const { return callbacks_; }
  const Callback* slowest() const { return caller_.slowest(); }  // null: none was called

 private:
  std::vector<CallbackRef> callbacks_;
  Model& model_;
  FitParams params_;
  HookCaller caller_;

 public:
  BatchCalls train{&Callback::on_train_batch_begin, &Callback::on_train_batch_end, caller_},
      test{&Callback::on_test_batch_begin, &Callback::on_test_batch_end, caller_},
      predict{&Callback::on_predict_batch_begin, &Callback::on_predict_batch_end, caller_};
};

}  // namespace stoker::nn
