#pragma once
#include <memory>
#include <string>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// A penalty on a weight, added to the loss. By name ("l1", "l2", "l1_l2") or regularizers::L2({…}).
class Regularizer {
 public:
  struct Impl {
    virtual ~Impl() = default;
    virtual Tensor penalty(const Tensor& weight) const = 0;  // a scalar
    virtual std::string class_name() const = 0;
    virtual Config get_config() const = 0;
  };
  Regularizer() = default;               // none
  Regularizer(const char* name);         // NOLINT
  Regularizer(const std::string& name);  // NOLINT
  Regularizer(const Config& config);     // NOLINT; throws InvalidArgument
  explicit Regularizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  Tensor operator()(const Tensor& weight) const { return impl_->penalty(weight); }
  Config to_config() const;

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace stoker
