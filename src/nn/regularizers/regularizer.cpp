#include "stoker/regularizer.h"

#include <fmt/format.h>

#include "nn/config/registry.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/regularizers.h"

namespace stoker {

Regularizer::Regularizer(const char* name) : Regularizer(Config(name)) {}
Regularizer::Regularizer(const std::string& name) : Regularizer(Config(name)) {}
Regularizer::Regularizer(const Config& config)
    : Regularizer(nn::Registry<Regularizer>::instance().make(config, "regularizer")) {}

Config Regularizer::to_config() const {
  return impl_ ? nn::keras_object("keras.regularizers", impl_->class_name(), impl_->get_config())
               : Config();
}

namespace regularizers {

template <class V>
void visit(L1Args& a, V& v) {
  v("l1", a.l1);
}
template <class V>
void visit(L2Args& a, V& v) {
  v("l2", a.l2);
}
template <class V>
void visit(L1L2Args& a, V& v) {
  v("l1", a.l1);
  v("l2", a.l2);
}

namespace {

Tensor weighed_sum(const Tensor& weight, double l1, double l2) {
  if (l2 == 0) return l1 * ops::sum(ops::abs(weight));
  const Tensor squares = l2 * ops::sum(ops::square(weight));
  return l1 == 0 ? squares : squares + l1 * ops::sum(ops::abs(weight));
}

template <class Args>
struct Penalty : Regularizer::Impl {
  std::string name;
  double l1, l2;
  Args args;

  Penalty(std::string n, double a, double b, Args given)
      : name(std::move(n)), l1(a), l2(b), args(given) {
    if (!(l1 >= 0 && l2 >= 0))
      throw InvalidArgument(fmt::format(
          "[{}] needs factors that are not negative, got l1 = {}, l2 = {}.", name, l1, l2));
  }
  Tensor penalty(const Tensor& weight) const override { return weighed_sum(weight, l1, l2); }
  std::string class_name() const override { return name; }
  Config get_config() const override { return nn::write_args(args); }
};

template <class Args>
Regularizer make(const char* name, double l1, double l2, const Args& args) {
  return Regularizer(std::make_shared<const Penalty<Args>>(name, l1, l2, args));
}

template <class Args>
struct Register {
  Register(const std::string& name, Regularizer (*maker)(const Args&),
           const std::vector<std::string>& aliases = {}) {
    nn::Registrar<Regularizer>(
        name,
        [name, maker](const Config& config) { return maker(nn::read_args<Args>(config, name)); },
        aliases);
  }
};
const Register<L1Args> l1{"L1", L1};
const Register<L2Args> l2{"L2", L2};
const Register<L1L2Args> l1l2{"L1L2", L1L2, {"l1_l2"}};

}  // namespace

Regularizer L1(const L1Args& args) { return make("L1", args.l1, 0, args); }
Regularizer L2(const L2Args& args) { return make("L2", 0, args.l2, args); }
Regularizer L1L2(const L1L2Args& args) { return make("L1L2", args.l1, args.l2, args); }

}  // namespace regularizers
}  // namespace stoker
