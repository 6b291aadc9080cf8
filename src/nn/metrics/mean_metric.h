#pragma once
#include <functional>

#include "nn/config/register.h"
#include "stoker/loss.h"
#include "stoker/metric.h"

namespace stoker::nn {

using MetricPtr = std::shared_ptr<Metric>;
template <class Args>
using RegisterMetric = Register<Args, MetricPtr>;

// Arguments common to all metrics; their structs repeat them for designated initialisers.
template <class Args, class V>
void visit_metric(Args& a, V& v) {
  v("name", a.name);
  v("dtype", a.dtype);
}

// Metrics whose result is total / count.
class MeanMetric : public Metric {
 public:
  MeanMetric(std::string name, DType dtype);
  Tensor result() const override;

 protected:
  void add(const Tensor& values, const Tensor& sample_weight);  // one value per sample or position

 private:
  void add_mean(const Tensor& mean);

  Variable total_, count_;
};

// The mean of a function of (y_true, y_pred).
class MeanOf : public MeanMetric {
 public:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  MeanOf(std::string class_name, std::string name, DType dtype, Function function, Config config);
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 private:
  std::string class_name_;
  Function function_;
  Config config_;
};

template <class Args>
MetricPtr mean_of(const std::string& class_name, const Args& args, MeanOf::Function function) {
  return std::make_shared<MeanOf>(class_name, args.name, args.dtype, std::move(function),
                                  write_args(args));
}

// A loss before weighting and reduction.
MeanOf::Function values_of(const LossRef& loss);

// A metric described by a struct of arguments.
template <class Args>
class MetricOf : public Metric {
 public:
  MetricOf(std::string class_name, const Args& args)
      : Metric(args.name, args.dtype), args_(args), class_name_(std::move(class_name)) {}
  std::string class_name() const override { return class_name_; }
  Config get_config() const override {
    Config config = write_args(args_);
    config["name"] = name();
    return config;
  }

 protected:
  const Args args_;

 private:
  std::string class_name_;
};

}  // namespace stoker::nn
