#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// A learning rate as a function of the step, computed on the device.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual Tensor operator()(
      const Tensor& step) const = 0;  // step: float32 scalar; returns a float32 scalar
  virtual std::string class_name() const = 0;
  virtual Config get_config() const = 0;
};

// A plain number or a schedule.
class LearningRate {
 public:
  LearningRate(double value) : value_(value) {}  // NOLINT
  LearningRate(std::shared_ptr<const Schedule> schedule)
      : schedule_(std::move(schedule)) {}       // NOLINT
  explicit LearningRate(const Config& config);  // a number or {class_name, config}
  double value() const { return value_; }
  const std::shared_ptr<const Schedule>& schedule() const { return schedule_; }
  Config to_config() const;

 private:
  double value_ = 0;
  std::shared_ptr<const Schedule> schedule_;
};

// Arguments common to all optimizers.
struct OptimizerOptions {
  LearningRate learning_rate = 0.001;
  std::optional<double> weight_decay, clipnorm, clipvalue, global_clipnorm;
  // Number of steps whose gradients are averaged before an update; 2 or more.
  std::optional<int64_t> gradient_accumulation_steps;
  bool use_ema = false;  // keep exponential moving averages of the variables, and end fit with them
  double ema_momentum = 0.99;
  // updates between replacing the variables by the averages
  std::optional<int64_t> ema_overwrite_frequency;
  std::optional<double> loss_scale_factor;  // fixed; LossScaleOptimizer's is dynamic
  std::string name;
};

// A variable of an optimizer's state, and its role in Keras's files.
struct SavedVariable {
  enum class Kind {
    iteration,
    learning_rate,
    step_counter,  // of a LossScaleOptimizer: steps since its scale changed
    loss_scale,
    slot,
    attribute,  // omitted by Keras inside a LossScaleOptimizer and before Keras 3
  };
  Variable variable;
  Kind kind;
};

class Optimizer {
 public:
  explicit Optimizer(OptimizerOptions options);
  virtual ~Optimizer();
  virtual std::string class_name() const = 0;
  virtual Config get_config() const;

  using GradientsAndVariables = std::vector<std::pair<Tensor, Variable>>;
  // Clips gradients, decays weights and updates. Variables without a gradient are skipped. Emits
  // ops: inside a trace it becomes part of the step.
  virtual void apply_gradients(const GradientsAndVariables& gradients_and_variables);
  void apply_gradients(const std::vector<Tensor>& gradients,
                       const std::vector<Variable>& variables);
  // Creates the slots of these variables; apply_gradients does it for its own.
  virtual void build(const std::vector<Variable>& variables);
  // The loss to differentiate; apply_gradients divides the gradients by the scale again.
  virtual Tensor scale_loss(const Tensor& loss) const;
  void set_loss_scale_factor(std::optional<double> factor) { options_.loss_scale_factor = factor; }
  virtual double loss_scale() const { return options_.loss_scale_factor.value_or(1); }
  virtual int64_t skipped_steps() const { return 0; }  // whose gradients were not finite

  const std::string& name() const { return options_.name; }
  // int64; counts steps, including those that only accumulate gradients.
  virtual const Variable& iterations() const { return iterations_; }
  virtual double learning_rate() const;             // of the next step
  virtual void set_learning_rate(double value);     // throws if there is a schedule
  virtual std::vector<Variable> variables() const;  // iterations, learning rate if a number, slots
  virtual std::vector<SavedVariable> saved_variables() const;  // in the order of Keras's files
  virtual const Optimizer* inner_optimizer() const { return nullptr; }  // of a wrapper
  // Called at the end of fit: with use_ema, variables are replaced by their averages.
  virtual void finalize_variable_values();
  // With use_ema: swaps variables and averages, or replaces the variables.
  virtual void swap_averages();
  virtual void overwrite_averages();
  bool accumulates() const { return options_.gradient_accumulation_steps.has_value(); }

 protected:
  // Updates one variable.
  virtual void update(const Variable& variable, const Tensor& gradient,
                      const Tensor& step_size) = 0;
  // A float32 scalar shared by all updates of a step. step is 1 for the first.
  virtual Tensor step_size(const Tensor& learning_rate, const Tensor& step) const;
  // Creates the slots in the order of Keras's files.
  virtual void make_slots(const std::vector<Variable>& variables) = 0;
  // Updates state shared by all variables, once per step before them; see shared_states.
  virtual void update_shared(const Tensor& /*step*/) {}
  virtual std::vector<Variable> shared_states() const { return {}; }
  virtual std::optional<double> weight_decay_of(const Variable&) const {
    return options_.weight_decay;
  }
  virtual bool is_attribute(const Variable&) const { return false; }  // see SavedVariable
  // State of a variable, initially zero (or `initial`); the same slot at every call.
  Variable slot(const Variable& variable, const std::string& name, double initial = 0);
  Variable slot(const Variable& variable, const std::string& name, const TensorType& type,
                const std::function<Array()>& initial);
  Tensor step() const;  // float32; 1 for the first update
  // A scalar state of the optimizer itself, for which variables() must be overridden.
  Variable add_state(const std::string& name, DType dtype, double initial) const;
  const OptimizerOptions& options() const { return options_; }

 public:
  // Recomputes the attributes after a state without them was loaded.
  virtual void restore_attributes() {}

 private:
  Tensor current_learning_rate() const;
  Tensor updates_taken() const;  // float32; Keras's `iterations`
  // Clips, decays, updates. If a condition is given and false, nothing changes.
  void update_all(GradientsAndVariables pairs, const Tensor& condition = {});
  void accumulate(const GradientsAndVariables& pairs);
  void average_variables();
  std::vector<Variable> rule_states(const Variable& variable) const;
  void clip(GradientsAndVariables& pairs) const;
  void decay(const Variable& variable, const Tensor& learning_rate) const;

  OptimizerOptions options_;
  Variable iterations_, learning_rate_;
  std::vector<Variable> built_;  // kept alive: slots are found by identity
  std::map<std::pair<const graph::State*, std::string>, Variable> slots_;
  std::vector<Variable> slot_order_;
};

// By name ("adam"), by config, or an object (optimizers::Adam({.learning_rate = 1e-3})).
class OptimizerRef {
 public:
  OptimizerRef() = default;
  OptimizerRef(const char* name) : OptimizerRef(Config(name)) {}         // NOLINT
  OptimizerRef(const std::string& name) : OptimizerRef(Config(name)) {}  // NOLINT
  OptimizerRef(const Config& config);                                    // NOLINT
  OptimizerRef(std::shared_ptr<Optimizer> optimizer)
      : optimizer_(std::move(optimizer)) {}  // NOLINT
  bool defined() const { return optimizer_ != nullptr; }
  Optimizer* operator->() const { return optimizer_.get(); }
  Optimizer& operator*() const { return *optimizer_; }

 private:
  std::shared_ptr<Optimizer> optimizer_;
};

}  // namespace stoker
