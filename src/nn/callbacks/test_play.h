#pragma once
#include "nn/test_models.h"

namespace stoker::test {

// Feeds these metric values to a callback, one per epoch, until it stops training. In each epoch
// the first weight is the epoch's number.
struct Play {
  Sequential model = classifier();
  std::string metric = "val_loss";
  std::vector<double> rates = {};
  int64_t epochs = 0;

  void run(const CallbackRef& callback, const std::vector<double>& values) {
    callback->attach(&model, {});
    model.stop_training = false;
    callback->on_train_begin({});
    rates.clear();
    for (epochs = 0; epochs < static_cast<int64_t>(values.size()) && !model.stop_training;) {
      callback->on_epoch_begin(epochs, {});
      auto weights = model.get_weights();
      weights[0].mutable_data<float>()[0] = static_cast<float>(epochs);
      model.set_weights(weights);
      Logs logs;
      logs.set("loss", 1);
      logs.set(metric, values[static_cast<size_t>(epochs)]);
      callback->on_epoch_end(epochs++, logs);
      rates.push_back(model.optimizer().learning_rate());
    }
    callback->on_train_end({});
  }
  double weight() const { return model.get_weights()[0].at(0); }
};

}  // namespace stoker::test
