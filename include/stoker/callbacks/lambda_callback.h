#pragma once
#include <functional>

#include "stoker/callback.h"

namespace stoker::callbacks {

struct LambdaCallbackArgs {
  using Hook = std::function<void(const Logs&)>;
  using NumberedHook = std::function<void(int64_t, const Logs&)>;  // of an epoch or a batch
  NumberedHook on_epoch_begin = {};
  std::function<void(int64_t, Logs&)> on_epoch_end = {};
  Hook on_train_begin = {}, on_train_end = {};
  NumberedHook on_train_batch_begin = {}, on_train_batch_end = {};
  Hook on_test_begin = {}, on_test_end = {};
  NumberedHook on_test_batch_begin = {}, on_test_batch_end = {};
  Hook on_predict_begin = {}, on_predict_end = {};
  NumberedHook on_predict_batch_begin = {}, on_predict_batch_end = {};
};
// A callback made of functions.
CallbackRef LambdaCallback(const LambdaCallbackArgs& args);

}  // namespace stoker::callbacks
