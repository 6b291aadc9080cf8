#pragma once
#include <optional>
#include <string>

#include "stoker/callback.h"

namespace stoker::nn {

// The metric that a callback monitors, and when it counts as improved.
class Monitor {
 public:
  struct Args {
    std::string metric, mode;
    double min_delta = 0;
  };
  Monitor(std::string owner, const Args& args);

  const std::string& metric() const { return args_.metric; }
  // Its current value; also determines the direction (min or max) from the model's metric of that
  // name. If there is no such metric, warns once with the available names.
  std::optional<double> value(const Logs& logs, const FitParams& params, const Model& model);
  // Better than the reference by more than min_delta. NaN is never better; any number is better
  // than no reference.
  bool improves(double value, const std::optional<double>& reference) const;

 private:
  std::string owner_;
  Args args_;
  bool larger_is_better_ = false, warned_ = false;
};

}  // namespace stoker::nn
