#pragma once
#include <optional>
#include <string>

#include "stoker/callback.h"

namespace stoker::nn {

// The metric a callback watches, and what it means for it to improve.
class Monitor {
 public:
  struct Args {
    std::string metric, mode;
    double min_delta = 0;
  };
  Monitor(std::string owner, const Args& args);

  const std::string& metric() const { return args_.metric; }
  // Its value, and with it what the model's metric of that name wants to be; if there is none, a
  // warning with the names there are, once.
  std::optional<double> value(const Logs& logs, const FitParams& params, const Model& model);
  // Better than the reference by more than min_delta. NaN never is; anything is better than none.
  bool improves(double value, const std::optional<double>& reference) const;

 private:
  std::string owner_;
  Args args_;
  bool larger_is_better_ = false, warned_ = false;
};

}  // namespace stoker::nn
