#include "stoker/optimizers/adafactor.h"

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::optimizers {

template <class V>
void visit(AdafactorArgs& a, V& v) {
  nn::visit_common(a, v);
  v("beta_2_decay", a.beta_2_decay);
  v("epsilon_1", a.epsilon_1);
  v("epsilon_2", a.epsilon_2);
  v("clip_threshold", a.clip_threshold);
  v("relative_step", a.relative_step);
}

namespace {

class AdafactorRule : public nn::OptimizerOf<AdafactorArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      rows(v);
      columns(v);
      slot(v, "velocity");
    }
  }

  bool is_attribute(const Variable& v) const override { return v.dtype() == placeholder; }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    const auto like = [&](const Tensor& scalar) { return ops::cast(scalar, w.dtype()); };
    const Tensor rate = ops::minimum(learning_rate, like(ops::rsqrt(step())));
    const Tensor size = ops::maximum(root_mean_square(w), args_.epsilon_2) * rate;
    const Tensor keep = like(1.0 - ops::power(step(), args_.beta_2_decay));
    const Tensor velocity = slot_after(w, ops::square(gradient) + args_.epsilon_1, keep);
    const Tensor direction = gradient / ops::sqrt(velocity);
    const Tensor excess = root_mean_square(direction) / args_.clip_threshold;
    w.assign(w - size * (direction / ops::maximum(excess, 1.0)));
  }

 private:
  static constexpr DType placeholder = DType::int32;
  static bool factored(const Variable& v) { return v.shape().rank() >= 2; }
  // Means over the last axis (rows) and the second to last (columns). For a vector, Keras stores an
  // integer in their place, and so do files.
  Variable mean_slot(const Variable& v, const char* name, int axis) {
    TensorType type{placeholder, {}};
    if (factored(v)) {
      auto dims = v.shape().dims();
      dims.erase(dims.end() + axis);
      type = {v.dtype(), Shape(dims)};
    }
    return slot(v, name, type, [type] { return Array(type.dtype, type.shape); });
  }
  Variable rows(const Variable& v) { return mean_slot(v, "row_means", -1); }
  Variable columns(const Variable& v) { return mean_slot(v, "column_means", -2); }

  Tensor slot_after(const Variable& w, const Tensor& square, const Tensor& keep) {
    const auto average = [&](const Variable& kept, const Tensor& value) {
      kept.assign(keep * kept + (1.0 - keep) * value);
      return kept.read();
    };
    const Variable velocity = slot(w, "velocity");
    if (!factored(w)) return average(velocity, square);
    const Tensor r = average(rows(w), ops::mean(square, {.axis = {-1}}));
    const Tensor c = average(columns(w), ops::mean(square, {.axis = {-2}}));
    const Tensor share = r / ops::mean(r, {.axis = {-1}, .keepdims = true});
    velocity.assign(ops::expand_dims(share, -1) * ops::expand_dims(c, -2));
    return velocity;
  }

  static Tensor root_mean_square(const Tensor& x) { return ops::sqrt(ops::mean(ops::square(x))); }
};

const nn::RegisterOptimizer<AdafactorArgs> registered{"Adafactor", Adafactor};

}  // namespace

std::shared_ptr<Optimizer> Adafactor(const AdafactorArgs& args) {
  return std::make_shared<AdafactorRule>("Adafactor", args);
}

}  // namespace stoker::optimizers
