#include "stoker/optimizers/lamb.h"

#include "graph/emit.h"
#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::optimizers {

template <class V>
void visit(LambArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
  v("epsilon", a.epsilon);
}

namespace {

class LambRule : public nn::OptimizerOf<LambArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      slot(v, "momentum");
      slot(v, "velocity");
    }
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Variable m = slot(w, "momentum"), v = slot(w, "velocity");
    m.assign(m + (gradient - m) * (1 - args_.beta_1));
    v.assign(v + (ops::square(gradient) - v) * (1 - args_.beta_2));
    const Tensor root = ops::sqrt(v / missing(args_.beta_2, w.dtype())) + args_.epsilon;
    const Tensor direction = m / missing(args_.beta_1, w.dtype()) / root;
    w.assign(w - ratio(norm(w), norm(direction)) * learning_rate * direction);
  }

 private:
  Tensor missing(double beta, DType dtype) const {
    const Tensor base(Array::scalar(static_cast<float>(beta)));
    return ops::cast(1.0 - ops::power(base, step()), dtype);
  }
  static Tensor norm(const Tensor& x) { return ops::sqrt(ops::sum(ops::square(x))); }
  // 1 if either is 0.
  static Tensor ratio(const Tensor& a, const Tensor& b) {
    const Tensor one = graph::scalar_like(a, 1), positive = ops::greater(b, 0.0);
    const Tensor quotient = a / ops::where(positive, b, one);
    return ops::where(ops::logical_and(ops::greater(a, 0.0), positive), quotient, one);
  }
};

const nn::RegisterOptimizer<LambArgs> registered{"Lamb", Lamb};

}  // namespace

std::shared_ptr<Optimizer> Lamb(const LambArgs& args) {
  return std::make_shared<LambRule>("Lamb", args);
}

}  // namespace stoker::optimizers
