#include "stoker/optimizers/lion.h"

#include <fmt/format.h>

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(LionArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
}

namespace {

class LionRule : public nn::OptimizerOf<LionArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) slot(v, "momentum");
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Variable m = slot(w, "momentum");
    const auto mixed = [&](double beta) { return m.read() * beta + gradient * (1 - beta); };
    w.assign(w - learning_rate * ops::sign(mixed(args_.beta_1)));
    m.assign(mixed(args_.beta_2));
  }
};

const nn::RegisterOptimizer<LionArgs> registered{"Lion", Lion};

}  // namespace

std::shared_ptr<Optimizer> Lion(const LionArgs& args) {
  if (args.beta_1 <= 0 || args.beta_1 > 1)
    throw InvalidArgument(fmt::format("[lion] beta_1 is {}.", args.beta_1),
                          "it must be above 0 and at most 1.");
  return std::make_shared<LionRule>("Lion", args);
}

}  // namespace stoker::optimizers
