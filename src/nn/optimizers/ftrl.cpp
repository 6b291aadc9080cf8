#include "stoker/optimizers/ftrl.h"

#include <fmt/format.h>

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"

namespace stoker::optimizers {

template <class V>
void visit(FtrlArgs& a, V& v) {
  nn::visit_common(a, v);
  v("learning_rate_power", a.learning_rate_power);
  v("initial_accumulator_value", a.initial_accumulator_value);
  v("l1_regularization_strength", a.l1_regularization_strength);
  v("l2_regularization_strength", a.l2_regularization_strength);
  v("l2_shrinkage_regularization_strength", a.l2_shrinkage_regularization_strength);
  v("beta", a.beta);
}

namespace {

class FtrlRule : public nn::OptimizerOf<FtrlArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      accumulator(v);
      slot(v, "linear");
    }
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const Variable sum = accumulator(w), linear = slot(w, "linear");
    const Tensor old_scale = ops::power(sum, -args_.learning_rate_power);
    sum.assign(sum + ops::square(gradient));
    const Tensor scale = ops::power(sum, -args_.learning_rate_power);
    const Tensor shrunk = gradient + 2 * args_.l2_shrinkage_regularization_strength * w.read();
    linear.assign(linear + shrunk - (scale - old_scale) / learning_rate * w);
    const Tensor l2 = args_.l2_regularization_strength + args_.beta / (2.0 * learning_rate);
    const double l1 = args_.l1_regularization_strength;
    w.assign((ops::clip(linear, -l1, l1) - linear) / (scale / learning_rate + 2.0 * l2));
  }

 private:
  Variable accumulator(const Variable& v) {
    return slot(v, "accumulator", args_.initial_accumulator_value);
  }
};

const nn::RegisterOptimizer<FtrlArgs> registered{"Ftrl", Ftrl};

}  // namespace

std::shared_ptr<Optimizer> Ftrl(const FtrlArgs& args) {
  const auto expect = [](bool ok, const char* key, double value, const char* what) {
    if (!ok) throw InvalidArgument(fmt::format("[ftrl] {} is {}.", key, value), what);
  };
  const auto expect_not_negative = [&](const char* key, double value) {
    expect(value >= 0, key, value, "it must be 0 or more.");
  };
  expect_not_negative("initial_accumulator_value", args.initial_accumulator_value);
  expect_not_negative("l1_regularization_strength", args.l1_regularization_strength);
  expect_not_negative("l2_regularization_strength", args.l2_regularization_strength);
  expect_not_negative("l2_shrinkage_regularization_strength",
                      args.l2_shrinkage_regularization_strength);
  expect(args.learning_rate_power <= 0, "learning_rate_power", args.learning_rate_power,
         "it must be 0 or less.");
  return std::make_shared<FtrlRule>("Ftrl", args);
}

}  // namespace stoker::optimizers
