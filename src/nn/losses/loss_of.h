#pragma once
#include "nn/register.h"
#include "stoker/loss.h"

namespace stoker::nn {

// A loss described by a struct of arguments with at least `name` and `reduction`.
template <class Args>
class LossOf : public Loss {
 public:
  LossOf(std::string class_name, const Args& args)
      : Loss(args.name, args.reduction), args_(args), class_name_(std::move(class_name)) {}
  std::string class_name() const override { return class_name_; }
  Config get_config() const override { return write_args(args_); }

 protected:
  const Args args_;

 private:
  std::string class_name_;
};

template <class Args>
using RegisterLoss = Register<Args, LossRef>;

}  // namespace stoker::nn
