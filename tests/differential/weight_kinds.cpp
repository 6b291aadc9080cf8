#include <algorithm>

#include "differential/kind.h"
#include "nn/config/registry.h"
#include "stoker/activation.h"
#include "stoker/constraint.h"
#include "stoker/gradient_tape.h"
#include "stoker/initializer.h"
#include "stoker/ops/reduce.h"
#include "stoker/regularizer.h"

// Functions of one array: activations, regularizers, constraints, initializers.
namespace stoker::differential {
namespace {

void run_activation(const Family& family, const Config& record) {
  const Activation activation(record.find("class_name")->as_string());
  const Tensor x = family.array(record, "x");
  GradientTape tape;
  const Tensor y = activation(x);
  const Tensor total = ops::sum(y * family.array(record, "cotangent"));
  EXPECT_TRUE(near(y.array(), family.array(record, "y"))) << "value";
  const Tensor gradient = tape.gradient(total, std::vector<Tensor>{x})[0];
  ASSERT_TRUE(gradient.defined());
  EXPECT_TRUE(near(gradient.array(), family.array(record, "gradient"))) << "gradient";
}

void run_regularizer(const Family& family, const Config& record) {
  const Regularizer regularizer(object_of(record));
  const Tensor x = family.array(record, "x");
  GradientTape tape;
  const Tensor penalty = regularizer(x);
  EXPECT_TRUE(near(penalty.array(), family.array(record, "value"))) << "penalty";
  const Tensor gradient = tape.gradient(penalty, std::vector<Tensor>{x})[0];
  ASSERT_TRUE(gradient.defined());
  EXPECT_TRUE(near(gradient.array(), family.array(record, "gradient"))) << "gradient";
}

void run_constraint(const Family& family, const Config& record) {
  const Constraint constraint(object_of(record));
  const Array y = constraint(family.array(record, "x")).array();
  EXPECT_TRUE(near(y, family.array(record, "y")));
}

// Two large samples of a distribution: their quantiles must be close, relative to its width.
void expect_same_distribution(const Array& got, const Array& quantiles) {
  std::vector<float> values(got.data<float>().begin(), got.data<float>().end());
  std::ranges::sort(values);
  const auto last = quantiles.size() - 1;
  const double width = quantiles.at(last * 3 / 4) - quantiles.at(last / 4);
  for (int64_t i = 0; i <= last; ++i) {
    const auto place = static_cast<size_t>(static_cast<int64_t>(values.size() - 1) * i / last);
    const bool extreme = i == 0 || i == last;
    EXPECT_NEAR(values[place], quantiles.at(i), (extreme ? 0.6 : 0.03) * width) << "quantile " << i;
  }
}

void run_initializer(const Family& family, const Config& record) {
  const Initializer initializer(object_of(record));
  std::vector<int64_t> dims;
  for (const Config& dim : record.find("shape")->as_list()) dims.push_back(dim.as_int());
  const Array got = initializer(Shape(std::move(dims)), DType::float32, 3);
  if (const Array quantiles = family.array(record, "quantiles"); quantiles.defined())
    expect_same_distribution(got, quantiles);
  else
    EXPECT_TRUE(near(got, family.array(record, "value")));
}

template <class Thing>
Config rewrite(const Config& object) {
  return *Thing(object).to_config().find("config");
}

const RegisterKind activation{"activation", {activation_names, run_activation}};
const RegisterKind regularizer{"regularizer",
                               {[] { return nn::Registry<Regularizer>::instance().class_names(); },
                                run_regularizer, rewrite<Regularizer>}};
const RegisterKind initializer{"initializer",
                               {[] { return nn::Registry<Initializer>::instance().class_names(); },
                                run_initializer, rewrite<Initializer>, true}};

const RegisterKind constraint{"constraint",
                              {[] { return nn::Registry<Constraint>::instance().class_names(); },
                               run_constraint, rewrite<Constraint>}};

}  // namespace
}  // namespace stoker::differential
