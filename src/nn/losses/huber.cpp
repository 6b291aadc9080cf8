#include "stoker/losses/huber.h"

#include <fmt/format.h>

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::losses {

template <class V>
void visit(HuberArgs& a, V& v) {
  nn::visit_loss(a, v);
  nn::visit_unless_default(v, "delta", a.delta, HuberArgs().delta);
}

namespace {

class HuberLoss : public nn::LossOf<HuberArgs> {
 public:
  HuberLoss(std::string class_name, const HuberArgs& args) : LossOf(std::move(class_name), args) {
    if (args.delta <= 0)
      throw InvalidArgument(
          fmt::format("[{}] delta must be positive, got {}.", name(), args.delta));
  }
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [target, output] = nn::match(name(), y_true, y_pred);
    const double delta = args_.delta;
    const Tensor error = output - target, size = ops::abs(error);
    const Tensor linear = delta * size - 0.5 * delta * delta;
    return ops::mean(ops::where(ops::greater(size, delta), linear, 0.5 * ops::square(error)),
                     {.axis = {-1}});
  }
};

const nn::RegisterLoss<HuberArgs> registered{"Huber", Huber};

}  // namespace

LossRef Huber(const HuberArgs& args) { return LossRef(std::make_shared<HuberLoss>("Huber", args)); }

}  // namespace stoker::losses
