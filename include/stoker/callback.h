#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace stoker {

class Config;
class Model;

// Metrics by name, in the order Keras prints them.
class Logs {
 public:
  void set(const std::string& name, double value);
  const double* find(const std::string& name) const;  // null: there is none
  double operator[](const std::string& name) const;   // throws InvalidArgument
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }

 private:
  std::vector<std::pair<std::string, double>> items_;
};

// The parameters of a run; set before on_train_begin.
struct FitParams {
  int64_t epochs = 1, steps = 0;  // steps per epoch; 0: not known yet
  int verbose = 1;
  bool validates = false;  // there will be val_ metrics
};

// An epoch that interrupt() ended early, after `step` of its `of` steps.
struct PartialEpoch {
  int64_t epoch = 0, step = 0, of = 0;
  Logs logs;  // of these steps
};
Config to_config(const PartialEpoch& part);  // {epoch, step, of, logs}

// Base class of callbacks, with all of Keras's hooks.
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

  // Called instead of on_epoch_end when interrupt() ends fit: the place to save results.
  virtual void on_interrupt(const PartialEpoch&) {}

  // How often the batch hooks that a class overrides are called: 1 for every batch, n for every
  // n-th (in fit counted over all epochs), 0 for never. Each call synchronises with the device and
  // reads the metrics; batches in between, and hooks that are not overridden, cost nothing.
  virtual int64_t batch_interval() const { return 1; }

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

// Which batch hooks a callback overrides.
struct BatchHooks {
  bool train_begin = true, train_end = true, test_begin = true, test_end = true,
       predict_begin = true, predict_end = true;
};

namespace detail {

using BatchHook = void (Callback::*)(int64_t, const Logs&);

// The address of an inherited hook is Callback's. A hook whose address cannot be taken (a private
// or overloaded override) counts as overridden.
template <class T>
concept inherits_train_begin = std::same_as<decltype(&T::on_train_batch_begin), BatchHook>;
template <class T>
concept inherits_train_end = std::same_as<decltype(&T::on_train_batch_end), BatchHook>;
template <class T>
concept inherits_test_begin = std::same_as<decltype(&T::on_test_batch_begin), BatchHook>;
template <class T>
concept inherits_test_end = std::same_as<decltype(&T::on_test_batch_end), BatchHook>;
template <class T>
concept inherits_predict_begin = std::same_as<decltype(&T::on_predict_batch_begin), BatchHook>;
template <class T>
concept inherits_predict_end = std::same_as<decltype(&T::on_predict_batch_end), BatchHook>;

template <class T>
constexpr BatchHooks batch_hooks_of() {
  return {!inherits_train_begin<T>, !inherits_train_end<T>,     !inherits_test_begin<T>,
          !inherits_test_end<T>,    !inherits_predict_begin<T>, !inherits_predict_end<T>};
}

}  // namespace detail

// A shared pointer that knows which batch hooks the callback's class overrides, so that only those
// cost time. Constructed from a pointer to a base class, all of them count as overridden.
class CallbackRef : public std::shared_ptr<Callback> {
 public:
  CallbackRef() = default;
  CallbackRef(std::nullptr_t) {}  // NOLINT: as a shared_ptr
  template <class T>
  requires std::derived_from<T, Callback> CallbackRef(std::shared_ptr<T> callback)  // NOLINT
      : std::shared_ptr<Callback>(std::move(callback)) {
    if (!get()) return;
    const Callback& object = **this;
    if (typeid(object) == typeid(T)) hooks_ = detail::batch_hooks_of<T>();
  }
  const BatchHooks& batch_hooks() const { return hooks_; }

 private:
  BatchHooks hooks_;
};

// Creates a callback from its Keras name and arguments, as in recipes: {class_name, config} or a
// name.
CallbackRef make_callback(const Config& config);

// The result of fit: each metric's values by epoch.
struct History {
  std::vector<int64_t> epoch;
  std::vector<std::pair<std::string, std::vector<double>>>
      history;  // in the order they first appeared
  const std::vector<double>& operator[](const std::string& name) const;  // throws InvalidArgument
  bool contains(const std::string& name) const;
  void add(int64_t epoch, const Logs& logs);
  // where interrupt() ended fit; not part of `history`
  std::optional<PartialEpoch> interrupted = {};
};

}  // namespace stoker
