#include "stoker/optimizers/schedule_free_adamw.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(ScheduleFreeAdamWArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
  v("epsilon", a.epsilon);
  v("warmup_steps", a.warmup_steps);
}

namespace {

class ScheduleFreeAdamWRule : public nn::OptimizerOf<ScheduleFreeAdamWArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      iterate(v);
      slot(v, "velocity");
    }
  }

  Tensor step_size(const Tensor& learning_rate, const Tensor& step) const override {
    if (args_.warmup_steps == 0) return learning_rate;
    return learning_rate * ops::minimum(step / static_cast<double>(args_.warmup_steps), 1.0);
  }

  // The variable is an interpolation between the iterate and the average of the iterates, from
  // which the average is recovered.
  void update(const Variable& w, const Tensor& gradient, const Tensor& step_size) override {
    const Variable z = iterate(w), v = slot(w, "velocity");
    const double beta = args_.beta_1;
    const Tensor average = (w - (1 - beta) * z.read()) / beta;
    v.assign(v + (ops::square(gradient) - v) * (1 - args_.beta_2));
    z.assign(z - step_size * gradient / (ops::sqrt(v / missing(w.dtype())) + args_.epsilon));
    const Tensor share = ops::cast(1.0 / step(), w.dtype());
    w.assign((1 - beta) * z.read() + beta * ((1.0 - share) * average + share * z));
  }

 private:
  Variable iterate(const Variable& w) {  // initialised with the variable
    return slot(w, "momentum", w.type(), [w] { return w.array().clone(); });
  }
  Tensor missing(DType dtype) const {
    const Tensor beta(Array::scalar(static_cast<float>(args_.beta_2)));
    return ops::cast(1.0 - ops::power(beta, step()), dtype);
  }
};

const nn::RegisterOptimizer<ScheduleFreeAdamWArgs> registered{
    "ScheduleFreeAdamW", ScheduleFreeAdamW, {"schedulefreeadamw", "schedule_free_adamw"}};

}  // namespace

std::shared_ptr<Optimizer> ScheduleFreeAdamW(const ScheduleFreeAdamWArgs& args) {
  return std::make_shared<ScheduleFreeAdamWRule>("ScheduleFreeAdamW", args);
}

}  // namespace stoker::optimizers
