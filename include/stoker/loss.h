#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// Base of losses: call returns one value per sample (or position), operator() weights and reduces
// it.
class Loss {
 public:
  // reduction: "sum_over_batch_size" (or "mean"), "sum", "mean_with_sample_weight" or "none".
  explicit Loss(std::string name, std::string reduction = "sum_over_batch_size",
                DType dtype = DType::float32);
  virtual ~Loss() = default;
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) const = 0;
  // Which of call's values count, as bool; undefined: all.
  virtual Tensor mask(const Tensor& y_true, const Tensor& y_pred) const;
  virtual std::string class_name() const { return "Loss"; }
  virtual Config get_config() const;
  // For integer class labels: the number of classes, so that labels can be checked; else 0.
  virtual int64_t label_classes(const TensorType& y_pred) const;

  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const;
  const std::string& name() const { return name_; }
  const std::string& reduction() const { return reduction_; }
  DType dtype() const { return dtype_; }  // to which outputs, targets and weights are cast

 private:
  std::string name_, reduction_;
  DType dtype_;
};

// A loss by name ("mse"), by config, as an object (losses::Huber({…})) or as a function of (y_true,
// y_pred).
class LossRef {
 public:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  LossRef() = default;
  LossRef(const char* name) : LossRef(Config(name)) {}         // NOLINT
  LossRef(const std::string& name) : LossRef(Config(name)) {}  // NOLINT
  LossRef(const Config& config);                               // NOLINT
  LossRef(Function function, std::string name = "custom");     // NOLINT
  template <class F>
  requires(std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&> &&
           !std::is_same_v<F, LossRef> && !std::is_same_v<F, Function>)
      LossRef(F function, std::string name = "custom")  // NOLINT: a lambda is a loss, too
      : LossRef(Function(std::move(function)), std::move(name)) {}
  LossRef(std::shared_ptr<const Loss> loss) : loss_(std::move(loss)) {}  // NOLINT

  bool defined() const { return loss_ != nullptr; }
  const Loss* operator->() const { return loss_.get(); }
  const Loss& operator*() const { return *loss_; }
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const {
    return (*loss_)(y_true, y_pred, sample_weight);
  }

 private:
  std::shared_ptr<const Loss> loss_;
};

}  // namespace stoker
