#pragma once
#include <fstream>
#include <sstream>

#include "nn/test_models.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/layers/dropout.h"

// Training runs that crash and are resumed.
namespace stoker::test {

// With dropout: its random state is part of a checkpoint.
inline Sequential with_dropout(uint64_t seed = 5) {
  set_random_seed(seed);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dropout({.rate = 0.3}),
                    layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  return model;
}

struct Crash {};
inline CallbackRef crash_at(int64_t epoch, int64_t batch) {
  const auto at = std::make_shared<int64_t>(0);
  return callbacks::LambdaCallback({.on_epoch_begin = [at](int64_t now, const Logs&) { *at = now; },
                                    .on_train_batch_end =
                                        [at, epoch, batch](int64_t done, const Logs&) {
                                          if (*at == epoch && done == batch) throw Crash();
                                        }});
}

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline FitArgs with_backup(const std::string& folder, std::vector<CallbackRef> others = {}) {
  others.push_back(callbacks::BackupAndRestore({.backup_dir = folder, .save_freq = 2}));
  return {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = std::move(others)};
}

}  // namespace stoker::test
