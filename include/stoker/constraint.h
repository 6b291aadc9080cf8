#pragma once
#include <memory>
#include <string>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// A constraint on a weight, applied by the optimizer after every update. By name ("max_norm",
// "non_neg", "unit_norm", "min_max_norm"), by config, or constraints::MaxNorm({…}).
class Constraint {
 public:
  struct Impl {
    virtual ~Impl() = default;
    virtual Tensor project(const Tensor& weight) const = 0;  // the nearest allowed weight
    virtual std::string class_name() const = 0;
    virtual Config get_config() const = 0;
  };
  Constraint() = default;               // none
  Constraint(const char* name);         // NOLINT
  Constraint(const std::string& name);  // NOLINT
  Constraint(const Config& config);     // NOLINT; throws InvalidArgument
  explicit Constraint(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  Tensor operator()(const Tensor& weight) const { return impl_->project(weight); }
  Config to_config() const;

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace stoker
