#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stoker {

class Config;
class Model;

// Metrics by name, in the order Keras prints them.
class Logs {
 public:
  void set(const std::string& name, double value);
  const double* find(const std::string& name) const;
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }

 private:
  std::vector<std::pair<std::string, double>> items_;
};

// What the run looks like to a callback; set before on_train_begin.
struct FitParams {
  int64_t epochs = 1, steps = 0;  // steps of an epoch; 0: not known yet
  int verbose = 1;
  bool validates = false;  // there will be val_ metrics
};

// Base of callbacks, with all of Keras's hooks.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin(const Logs&) {}
  virtual void on_train_end(const Logs&) {}
  virtual void on_epoch_begin(int64_t, const Logs&) {}
  virtual void on_epoch_end(int64_t, Logs&) {}  // what is added to the logs enters the history
  virtual void on_train_batch_begin(int64_t, const Logs&) {}
  virtual void on_train_batch_end(int64_t, const Logs&) {}
  virtual void on_test_begin(const Logs&) {}
  virtual void on_test_end(const Logs&) {}
  virtual void on_test_batch_begin(int64_t, const Logs&) {}
  virtual void on_test_batch_end(int64_t, const Logs&) {}
  virtual void on_predict_begin(const Logs&) {}
  virtual void on_predict_end(const Logs&) {}
  virtual void on_predict_batch_begin(int64_t, const Logs&) {}
  virtual void on_predict_batch_end(int64_t, const Logs&) {}

  // Reading metrics after every batch costs time: a callback that uses the batch hooks says so.
  virtual bool wants_batches() const { return false; }

  void attach(Model* model, const FitParams& params) {
    model_ = model;
    params_ = params;
  }

 protected:
  Model& model() const { return *model_; }
  const FitParams& params() const { return params_; }

 private:
  Model* model_ = nullptr;
  FitParams params_;
};
using CallbackRef = std::shared_ptr<Callback>;

// A callback by its Keras name and arguments, as recipes have it: {class_name, config} or a name.
CallbackRef make_callback(const Config& config);

// What fit returns: each metric's value per epoch.
struct History {
  std::vector<int64_t> epoch;
  std::vector<std::pair<std::string, std::vector<double>>>
      history;  // in the order they first appeared
  const std::vector<double>& operator[](const std::string& name) const;  // throws InvalidArgument
  bool contains(const std::string& name) const;
  void add(int64_t epoch, const Logs& logs);
};

}  // namespace stoker
