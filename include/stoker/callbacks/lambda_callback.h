#pragma once
#include <functional>

#include "stoker/callback.h"

namespace stoker::callbacks {

struct LambdaCallbackArgs {
  using Hook = std::function<void(const Logs&)>;
  // with the index of the epoch or batch
  using NumberedHook = std::function<void(int64_t, const Logs&)>;
  NumberedHook on_epoch_begin = {};
  std::function<void(int64_t, Logs&)> on_epoch_end = {};
  Hook on_train_begin = {}, on_train_end = {};
  NumberedHook on_train_batch_begin = {}, on_train_batch_end = {};
  Hook on_test_begin = {}, on_test_end = {};
  NumberedHook on_test_batch_begin = {}, on_test_batch_end = {};
  Hook on_predict_begin = {}, on_predict_end = {};
  NumberedHook on_predict_batch_begin = {}, on_predict_batch_end = {};
};
// A callback built from functions.
CallbackRef LambdaCallback(const LambdaCallbackArgs& args);

}  // namespace stoker::callbacks
