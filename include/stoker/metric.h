#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// Base of metrics: state on the device, updated inside the step, read by the host on demand.
class Metric {
 public:
  explicit Metric(std::string name, DType dtype = DType::float32)
      : name_(std::move(name)), dtype_(dtype) {}
  virtual ~Metric();
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred,
                            const Tensor& sample_weight = {}) = 0;
  virtual Tensor result() const = 0;
  virtual std::string class_name() const { return "Metric"; }
  virtual Config get_config() const;
  void reset_state();  // all state back to zero

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  DType dtype() const { return dtype_; }  // in which it computes
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  Variable add_variable(const std::string& name, const Shape& shape = {});  // of its dtype, zero

 private:
  std::string name_;
  DType dtype_;
  std::vector<Variable> variables_;
};

// A metric by name ("accuracy" depends on the shapes of targets and outputs), by config, as an
// object, or as a function of (y_true, y_pred) whose mean is computed. Only a description until
// make().
class MetricRef {
 public:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  MetricRef(const char* name) : config_(name) {}              // NOLINT
  MetricRef(const std::string& name) : config_(name) {}       // NOLINT
  MetricRef(const Config& config) : config_(config) {}        // NOLINT
  MetricRef(Function function, std::string name = "custom");  // NOLINT
  template <class F>
  requires(std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&> &&
           !std::is_same_v<F, Function>)
      MetricRef(F function, std::string name = "custom")  // NOLINT: a lambda is a metric, too
      : MetricRef(Function(std::move(function)), std::move(name)) {}
  template <class M>
  requires std::is_base_of_v<Metric, M> MetricRef(std::shared_ptr<M> metric)  // NOLINT
      : metric_(std::move(metric)) {}

  // Resolves "accuracy" and "crossentropy" by the shapes, as Keras does. Throws InvalidArgument for
  // an unknown name.
  std::shared_ptr<Metric> make(const TensorType& y_true, const TensorType& y_pred) const;
  void check() const;        // is the name known? Needs no shapes
  Config to_config() const;  // a name, or an object in Keras's format

 private:
  Config config_;
  std::shared_ptr<Metric> metric_;
};

}  // namespace stoker
