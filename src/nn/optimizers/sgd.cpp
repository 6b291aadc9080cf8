#include "stoker/optimizers/sgd.h"

#include <fmt/format.h>

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(SGDArgs& a, V& v) {
  nn::visit_common(a, v);
  v("momentum", a.momentum);
  v("nesterov", a.nesterov);
}

namespace {

class SGDRule : public nn::OptimizerOf<SGDArgs> {
 public:
  SGDRule(std::string class_name, const SGDArgs& args) : OptimizerOf(std::move(class_name), args) {
    if (args.momentum < 0 || args.momentum > 1)
      throw InvalidArgument(
          fmt::format("[sgd] momentum must be between 0 and 1, got {}.", args.momentum));
  }

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    if (args_.momentum == 0) return;
    for (const Variable& v : variables) slot(v, "momentum");
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Tensor step = gradient * learning_rate;
    if (args_.momentum == 0) return w.assign(w - step);
    const Variable slot_m = slot(w, "momentum");
    const Tensor m = slot_m.read() * args_.momentum - step;
    slot_m.assign(m);
    w.assign(w + (args_.nesterov ? m * args_.momentum - step : m));
  }
};

const nn::RegisterOptimizer<SGDArgs> registered{"SGD", SGD};

}  // namespace

std::shared_ptr<Optimizer> SGD(const SGDArgs& args) {
  return std::make_shared<SGDRule>("SGD", args);
}

}  // namespace stoker::optimizers
