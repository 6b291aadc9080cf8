#include "stoker/gradient_tape.h"
#include "stoker/losses.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/optimizers.h"
#include "support/policy_scope.h"
#include "support/relative.h"
#include "support/tolerance.h"

// Mixed precision and loss scaling, compared with Keras.
namespace stoker {
namespace {

using golden::near_relative;

const golden::Group& group() {
  static const golden::Group loaded = golden::load("precision");
  return loaded;
}
const Config& field(const Config& of, const char* name) { return *of.find(name); }
std::string text(const Config& of, const char* name) { return field(of, name).as_string(); }
bool is_network(const Config& c) { return text(c, "class_name") == "Sequential"; }

Sequential make_network(const Config& c) {
  std::vector<Sequential::Item> items;
  for (const Config& entry : field(c, "layers").as_list()) {
    Config config = field(entry, "config");
    if (items.empty()) {
      std::vector<int64_t> dims;
      for (const Config& dim : field(config, "shape").as_list()) dims.push_back(dim.as_int());
      items.emplace_back(Input({.shape = Shape(dims)}));
      continue;
    }
    config["name"] = text(entry, "name");
    items.emplace_back(make_layer_from_config(text(entry, "class_name"), config));
  }
  Sequential model(items);
  model.set_weights(group().list(c, "initial_weights"));
  return model;
}

class GoldenPrecision : public ::testing::TestWithParam<size_t> {
 protected:
  const Config& c = group().cases()[GetParam()];
  const testing::PolicyScope policy{text(field(c, "config"), "policy")};
  const Array x = group().array(c, "x"), y = group().array(c, "y");
  // Relative to an array's maximum, as the rounding errors of many ops add up.
  double tolerance() const {
    return testing::program_tolerance(dtype_policy().compute_dtype()).relative;
  }
};

TEST_P(GoldenPrecision, ComputesInKerassTypes) {
  const Sequential model = make_network(c);
  EXPECT_EQ(name_of(model(Tensor(x)).dtype()), text(c, "output_dtype"));
  const auto& dtypes = field(c, "weight_dtypes").as_list();
  const auto weights = model.weights();
  ASSERT_EQ(weights.size(), dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i)
    EXPECT_EQ(name_of(weights[i].dtype()), dtypes[i].as_string()) << weights[i].name();
}

TEST_P(GoldenPrecision, ForwardAndGradientsAreKerass) {
  const Sequential model = make_network(c);
  GradientTape tape;
  const Tensor output = model(Tensor(x), {.training = true});
  const Tensor loss = losses::SparseCategoricalCrossentropy()(Tensor(y), output);
  EXPECT_EQ(loss.dtype(), DType::float32);
  EXPECT_NEAR(loss.item(), field(c, "loss").as_double(), tolerance());
  EXPECT_TRUE(near_relative(output.array(), group().array(c, "output"), tolerance()));
  const auto variables = model.trainable_variables();
  const auto got = tape.gradient(loss, variables);
  const auto want = group().list(c, "gradients");
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].dtype(), variables[i].dtype());
    EXPECT_TRUE(near_relative(got[i].array(), want[i], tolerance())) << variables[i].name();
  }
}

TEST_P(GoldenPrecision, FitEndsWhereKerasDoes) {
  Sequential model = make_network(c);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.5}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  EXPECT_EQ(model.optimizer().class_name(), text(c, "optimizer"));
  const auto& losses = field(field(c, "history"), "loss").as_list();
  const History history = model.fit(x, y,
                                    {.batch_size = x.length(),
                                     .epochs = static_cast<int64_t>(losses.size()),
                                     .verbose = 0,
                                     .shuffle = false});
  for (size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(history["loss"][i], losses[i].as_double(), tolerance()) << "step " << i;
  const auto got = model.get_weights(), want = group().list(c, "final_weights");
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(near_relative(got[i], want[i], tolerance())) << model.weights()[i].name();
  EXPECT_EQ(model.skipped_steps(), 0);
}

std::vector<size_t> networks() {
  std::vector<size_t> found;
  for (size_t i = 0; i < group().cases().size(); ++i)
    if (is_network(group().cases()[i])) found.push_back(i);
  return found;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenPrecision, ::testing::ValuesIn(networks()),
                         [](const auto& given) {
                           const Config& config = field(group().cases()[given.param], "config");
                           return text(config, "policy") + "_" + text(config, "network");
                         });

// The same finite, infinite and NaN gradients: after each step the same scale, counter, number of
// applied steps and weights.
TEST(GoldenLossScale, MovesAsKerassDoes) {
  for (const Config& c : group().cases()) {
    if (is_network(c)) continue;
    SCOPED_TRACE(golden::id(c));
    const OptimizerRef optimizer(golden::object_of(c));
    const Variable w(Array::from<float>({1, -2}, {2}), "w");
    const Array states = group().array(c, "states");
    int64_t step = 0, skipped = 0;
    for (const Config& given : field(c, "gradients").as_list()) {
      const auto scale = static_cast<float>(optimizer->loss_scale());
      const float value = given.is_null() ? NAN : static_cast<float>(given.as_double());
      optimizer->apply_gradients({Tensor(Array::from<float>({value * scale, 0.5f * scale}, {2}))},
                                 {w});
      skipped += !std::isfinite(value);
      const int64_t row = 5 * step++;
      EXPECT_EQ(optimizer->loss_scale(), states.at(row)) << "step " << step;
      EXPECT_EQ(optimizer->variables()[2].array().at(0), states.at(row + 1)) << "step " << step;
      EXPECT_EQ(optimizer->iterations().array().at(0), states.at(row + 2)) << "step " << step;
      for (int64_t i = 0; i < 2; ++i)
        EXPECT_NEAR(w.array().at(i), states.at(row + 3 + i),
                    2e-6 * std::abs(states.at(row + 3 + i)))
            << "step " << step;
      EXPECT_EQ(optimizer->skipped_steps(), skipped);
    }
  }
}

}  // namespace
}  // namespace stoker
