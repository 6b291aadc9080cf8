#include "stoker/optimizers/nadam.h"

#include <cmath>

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(NadamArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_1", a.beta_1);
  v("beta_2", a.beta_2);
  v("epsilon", a.epsilon);
}

namespace {

class NadamRule : public nn::OptimizerOf<NadamArgs> {
 public:
  using OptimizerOf::OptimizerOf;

  // At the end, as in Keras's files.
  std::vector<Variable> variables() const override {
    auto all = Optimizer::variables();
    if (product_.defined()) all.push_back(product_);
    return all;
  }

  void restore_attributes() override {
    const auto taken = static_cast<int64_t>(step().item()) - 1;
    double product = 1;
    for (int64_t step = 1; step <= taken && product > 0; ++step)
      product *= args_.beta_1 * (1 - 0.5 * std::pow(0.96, static_cast<double>(step)));
    product_.set(Array::scalar(static_cast<float>(product)));
  }

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      slot(v, "momentum");
      slot(v, "velocity");
    }
    if (!product_.defined()) product_ = add_state("momentum_product", DType::float32, 1);
  }

  bool is_attribute(const Variable& v) const override {
    return product_.defined() && v.state() == product_.state();
  }
  std::vector<Variable> shared_states() const override { return {product_}; }
  void update_shared(const Tensor& step) override { product_.assign(product_ * momentum_at(step)); }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Variable m = slot(w, "momentum"), v = slot(w, "velocity");
    m.assign(m + (gradient - m) * (1 - args_.beta_1));
    v.assign(v + (ops::square(gradient) - v) * (1 - args_.beta_2));
    const Tensor now = momentum_at(step()), next = momentum_at(step() + 1.0), product = product_;
    const Tensor beta_2(Array::scalar(static_cast<float>(args_.beta_2)));
    const auto like = [&](const Tensor& scalar) { return ops::cast(scalar, w.dtype()); };
    const Tensor mean =
        like(next / (1.0 - product * next)) * m + like((1.0 - now) / (1.0 - product)) * gradient;
    const Tensor mean_square = v / like(1.0 - ops::power(beta_2, step()));
    w.assign(w - mean * learning_rate / (ops::sqrt(mean_square) + args_.epsilon));
  }

 private:
  // The momentum of a step, which increases towards beta_1.
  Tensor momentum_at(const Tensor& step) const {
    const Tensor decay(Array::scalar(0.96F));
    return args_.beta_1 * (1.0 - 0.5 * ops::power(decay, step));
  }
  Variable product_;  // of the momenta so far
};

const nn::RegisterOptimizer<NadamArgs> registered{"Nadam", Nadam};

}  // namespace

std::shared_ptr<Optimizer> Nadam(const NadamArgs& args) {
  return std::make_shared<NadamRule>("Nadam", args);
}

}  // namespace stoker::optimizers
