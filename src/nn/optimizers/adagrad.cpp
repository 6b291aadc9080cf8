#include "stoker/optimizers/adagrad.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(AdagradArgs& a, V& v) {
  nn::visit_common(a, v);
  v("initial_accumulator_value", a.initial_accumulator_value);
  v("epsilon", a.epsilon);
}

namespace {

class AdagradRule : public nn::OptimizerOf<AdagradArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) accumulator(v);
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Variable sum = accumulator(w);
    sum.assign(sum + ops::square(gradient));
    w.assign(w - learning_rate * gradient / ops::sqrt(sum.read() + args_.epsilon));
  }

 private:
  Variable accumulator(const Variable& v) {
    return slot(v, "accumulator", args_.initial_accumulator_value);
  }
};

const nn::RegisterOptimizer<AdagradArgs> registered{"Adagrad", Adagrad};

}  // namespace

std::shared_ptr<Optimizer> Adagrad(const AdagradArgs& args) {
  return std::make_shared<AdagradRule>("Adagrad", args);
}

}  // namespace stoker::optimizers
