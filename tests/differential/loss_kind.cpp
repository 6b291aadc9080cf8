#include "differential/kind.h"
#include "nn/config/registry.h"
#include "stoker/gradient_tape.h"
#include "stoker/loss.h"
#include "stoker/ops/reduce.h"

namespace stoker::differential {
namespace {

std::vector<std::string> class_names() { return nn::Registry<LossRef>::instance().class_names(); }

void run(const Family& family, const Config& record) {
  const LossRef loss(object_of(record));
  const Tensor y_pred = family.array(record, "y_pred");
  const Array weight = family.array(record, "sample_weight");
  GradientTape tape;
  const Tensor value =
      loss(family.array(record, "y_true"), y_pred, weight.defined() ? Tensor(weight) : Tensor());
  const Tensor total = ops::sum(value);
  EXPECT_TRUE(near(value.array(), family.array(record, "value"))) << "value";
  const Array wanted = family.array(record, "gradient");
  if (!wanted.defined()) return;
  const Tensor gradient = tape.gradient(total, std::vector<Tensor>{y_pred})[0];
  ASSERT_TRUE(gradient.defined());
  EXPECT_TRUE(near(gradient.array(), wanted)) << "gradient";
}

Config rewrite(const Config& object) { return LossRef(object)->get_config(); }

const RegisterKind registered{"loss", {class_names, run, rewrite, true}};

}  // namespace
}  // namespace stoker::differential
