#pragma once
#include <type_traits>

#include "nn/config/register.h"
#include "stoker/loss.h"

namespace stoker::nn {

// Arguments common to all losses; their structs repeat them for designated initialisers.
template <class Args, class V>
void visit_loss(Args& a, V& v) {
  v("name", a.name);
  v.or_none("reduction", a.reduction);
  // Keras accepts a dtype but omits it from its configs; it is written if it would be lost
  // otherwise.
  if constexpr (std::is_same_v<V, ArgsReader>)
    v("dtype", a.dtype);
  else if (a.dtype.defined())
    v("dtype", a.dtype.name());
}

// An argument that Keras accepts but does not write: written if it would be lost otherwise.
template <class T, class V>
void visit_unless_default(V& v, const char* key, T& field, const T& by_default) {
  if (std::is_same_v<V, ArgsWriter> && field == by_default) return;
  v(key, field);
}

// A loss described by a struct of arguments with at least `name`, `reduction` and `dtype`.
template <class Args>
class LossOf : public Loss {
 public:
  LossOf(std::string class_name, const Args& args)
      : Loss(args.name, args.reduction,
             args.dtype.defined() ? args.dtype.compute_dtype() : DType::float32),
        args_(args),
        class_name_(std::move(class_name)) {}
  std::string class_name() const override { return class_name_; }
  Config get_config() const override { return write_args(args_); }

 protected:
  const Args args_;

 private:
  std::string class_name_;
};

// A loss that is a function of its arguments, targets and outputs.
template <class Args>
class LossByRule : public LossOf<Args> {
 public:
  using Rule = Tensor (*)(const Args& args, const Tensor& y_true, const Tensor& y_pred);
  LossByRule(std::string class_name, const Args& args, Rule rule)
      : LossOf<Args>(std::move(class_name), args), rule_(rule) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return rule_(this->args_, y_true, y_pred);
  }

 private:
  Rule rule_;
};

template <class Args>
LossRef make_loss(const std::string& class_name, const Args& args,
                  typename LossByRule<Args>::Rule rule) {
  return LossRef(std::make_shared<LossByRule<Args>>(class_name, args, rule));
}

template <class Args>
using RegisterLoss = Register<Args, LossRef>;

}  // namespace stoker::nn
