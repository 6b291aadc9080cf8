#pragma once
#include <functional>

#include "nn/register.h"
#include "stoker/metric.h"

namespace stoker::nn {

using MetricPtr = std::shared_ptr<Metric>;
template <class Args>
using RegisterMetric = Register<Args, MetricPtr>;

// Metrics whose result is total / count.
class MeanMetric : public Metric {
 public:
  explicit MeanMetric(std::string name);
  Tensor result() const override;

 protected:
  void add(const Tensor& values, const Tensor& sample_weight);  // one value per sample or position

 private:
  Variable total_, count_;
};

// The mean of a function of (y_true, y_pred). Its arguments beside the name are in `config`.
class MeanOf : public MeanMetric {
 public:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  MeanOf(std::string class_name, std::string name, Function function,
         Config config = Config::map());
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 private:
  std::string class_name_;
  Function function_;
  Config config_;
};

}  // namespace stoker::nn
