#pragma once
#include "nn/config/register.h"
#include "stoker/optimizer.h"

namespace stoker::nn {

// Arguments common to all optimizers; their structs repeat them for designated initialisers.
template <class Args, class V>
void visit_common(Args& a, V& v) {
  v("name", a.name);
  v("learning_rate", a.learning_rate);
  v("weight_decay", a.weight_decay);
  v("clipnorm", a.clipnorm);
  v("global_clipnorm", a.global_clipnorm);
  v("clipvalue", a.clipvalue);
  v("gradient_accumulation_steps", a.gradient_accumulation_steps);
  v("use_ema", a.use_ema);
  v("ema_momentum", a.ema_momentum);
  v("ema_overwrite_frequency", a.ema_overwrite_frequency);
  v("loss_scale_factor", a.loss_scale_factor);
}

// An optimizer described by a struct of arguments.
template <class Args>
class OptimizerOf : public Optimizer {
 public:
  OptimizerOf(std::string class_name, const Args& args)
      : Optimizer({.learning_rate = args.learning_rate,
                   .weight_decay = args.weight_decay,
                   .clipnorm = args.clipnorm,
                   .clipvalue = args.clipvalue,
                   .global_clipnorm = args.global_clipnorm,
                   .gradient_accumulation_steps = args.gradient_accumulation_steps,
                   .use_ema = args.use_ema,
                   .ema_momentum = args.ema_momentum,
                   .ema_overwrite_frequency = args.ema_overwrite_frequency,
                   .loss_scale_factor = args.loss_scale_factor,
                   .name = args.name}),
        args_(args),
        class_name_(std::move(class_name)) {}
  std::string class_name() const override { return class_name_; }
  Config get_config() const override {
    Config config = Optimizer::get_config();
    const Config own = write_args(args_);
    for (const auto& [key, value] : own.as_map())
      if (!config.find(key)) config[key] = value;
    return config;
  }

 protected:
  const Args args_;

 private:
  std::string class_name_;
};

using OptimizerPtr = std::shared_ptr<Optimizer>;
template <class Args>
using RegisterOptimizer = Register<Args, OptimizerPtr>;

}  // namespace stoker::nn
