#include "stoker/optimizers/adadelta.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(AdadeltaArgs& a, V& v) {
  nn::visit_common(a, v);
  v("rho", a.rho);
  v("epsilon", a.epsilon);
}

namespace {

class AdadeltaRule : public nn::OptimizerOf<AdadeltaArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      slot(v, "accumulated_grad");
      slot(v, "accumulated_delta_var");
    }
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Tensor before = root(slot(w, "accumulated_delta_var"));
    const Tensor gradients = average(slot(w, "accumulated_grad"), gradient);
    const Tensor delta = -(before * gradient / root(gradients));
    average(slot(w, "accumulated_delta_var"), delta);
    w.assign(w + learning_rate * delta);
  }

 private:
  Tensor root(const Tensor& mean_square) const { return ops::sqrt(mean_square + args_.epsilon); }
  Tensor average(const Variable& kept, const Tensor& value) const {
    kept.assign(args_.rho * kept.read() + (1 - args_.rho) * ops::square(value));
    return kept;
  }
};

const nn::RegisterOptimizer<AdadeltaArgs> registered{"Adadelta", Adadelta};

}  // namespace

std::shared_ptr<Optimizer> Adadelta(const AdadeltaArgs& args) {
  return std::make_shared<AdadeltaRule>("Adadelta", args);
}

}  // namespace stoker::optimizers
