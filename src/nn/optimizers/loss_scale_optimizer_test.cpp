#include "stoker/optimizers/loss_scale_optimizer.h"

#include <fmt/format.h>

#include "nn/test_models.h"
#include "stoker/optimizers.h"
#include "support/policy_scope.h"

namespace stoker {
namespace {

using namespace test;
using testing::PolicyScope;

Sequential mixed_model(const OptimizerRef& optimizer, bool auto_scale = true) {
  const PolicyScope scope("mixed_float16");
  set_random_seed(5);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dense({.units = 1})});
  model.compile({.optimizer = optimizer, .loss = {"mse"}, .auto_scale_loss = auto_scale});
  return model;
}

TEST(LossScale, CompileWrapsTheOptimizerOfAMixedModel) {
  EXPECT_EQ(mixed_model("adam").optimizer().class_name(), "LossScaleOptimizer");
  EXPECT_EQ(mixed_model("adam").optimizer().loss_scale(), 32768);
  EXPECT_EQ(mixed_model("adam", false).optimizer().class_name(), "Adam");
  const auto own = optimizers::LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 8});
  EXPECT_EQ(mixed_model(own).optimizer().loss_scale(), 8);
  EXPECT_EQ(classifier().optimizer().class_name(), "Adam");
}

// Targets of 20000 make the scaled gradients overflow until the scale has decreased.
TEST(LossScale, SkipsOverflowingStepsAndReportsThem) {
  Sequential model = mixed_model(optimizers::Adam({.learning_rate = 0.01}));
  const Array x = random_array({64, features});
  Array y(DType::float32, {64, 1});
  for (float& value : y.mutable_data<float>()) value = 20000;
  const auto before = model.get_weights();
  Optimizer& optimizer = model.optimizer();
  model.train_on_batch(x, y);
  EXPECT_EQ(model.skipped_steps(), 1);
  EXPECT_EQ(difference(model.get_weights(), before), 0) << "the step was not skipped";
  EXPECT_EQ(optimizer.iterations().array().at(0), 0);
  EXPECT_EQ(optimizer.loss_scale(), 16384);
  model.fit(x, y, {.batch_size = 16, .epochs = 10, .verbose = 0});
  const int64_t skipped = model.skipped_steps() - 1;
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 40);
  EXPECT_EQ(optimizer.iterations().array().at(0), static_cast<double>(40 - skipped));
  EXPECT_EQ(optimizer.loss_scale(), std::ldexp(32768, -static_cast<int>(skipped + 1)));
  EXPECT_NE(
      model.account().find(fmt::format("{} steps skipped: gradients overflowed float16", skipped)),
      std::string::npos)
      << model.account();
  for (const Array& weight : model.get_weights())
    for (int64_t i = 0; i < weight.size(); ++i) EXPECT_TRUE(std::isfinite(weight.at(i)));
}

// One of each class, with all optional states.
std::vector<OptimizerRef> every_optimizer() {
  std::vector<OptimizerRef> all{
      optimizers::SGD({.momentum = 0.9, .gradient_accumulation_steps = 2, .use_ema = true}),
      optimizers::SGD({.use_ema = true, .ema_overwrite_frequency = 1}),
      optimizers::Adam({.amsgrad = true, .global_clipnorm = 0.1}),
      optimizers::Nadam({.gradient_accumulation_steps = 2}),
      optimizers::RMSprop({.momentum = 0.5, .centered = true})};
  for (const char* name :
       {"sgd", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "ftrl", "lamb",
        "lion", "muon", "nadam", "rmsprop", "schedule_free_adamw"})
    all.emplace_back(name);
  return all;
}

std::vector<Array> values_of(const std::vector<Variable>& variables) {
  std::vector<Array> values;
  for (const Variable& v : variables) values.push_back(v.array().clone());
  return values;
}

void expect_same(const std::vector<Variable>& variables, const std::vector<Array>& values) {
  ASSERT_EQ(variables.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(difference(variables[i].array(), values[i]), 0) << variables[i].name();
}

// A skipped step leaves accumulators, averages and counters unchanged, too.
TEST(LossScale, ASkippedStepChangesNothingOfAnyOptimizer) {
  for (const OptimizerRef& inner : every_optimizer()) {
    SCOPED_TRACE(inner->class_name());
    const auto optimizer = optimizers::LossScaleOptimizer({.inner_optimizer = inner});
    const Variable w(Array::from<float>({1, 2, 3, 4}, {2, 2}), "w");
    const auto apply = [&](float value) {
      optimizer->apply_gradients({Tensor(Array::from<float>({value, 1, 2, 3}, {2, 2}))}, {w});
    };
    apply(1);
    apply(2);
    const auto before = values_of(inner->variables());
    const Array weight = w.array().clone();
    for (const float bad : {NAN, INFINITY, -INFINITY}) apply(bad);
    expect_same(inner->variables(), before);
    EXPECT_EQ(difference(w.array(), weight), 0);
    EXPECT_EQ(optimizer->loss_scale(), 32768 / 8);
    apply(1);
    EXPECT_GT(difference(inner->iterations().array(), before[0]), 0);
  }
}

// The same in a compiled step, where updates are fused into kernels. As in Keras, metrics and
// moving statistics include skipped steps.
TEST(LossScale, ASkippedStepOfAModelChangesNothingOfAnyOptimizer) {
  const Array x = random_array({8, features});
  const Array y = random_array({8, 1}),
              bad = Array::from<float>(std::vector<float>(8, INFINITY), {8, 1});
  for (const OptimizerRef& inner : every_optimizer()) {
    SCOPED_TRACE(inner->class_name());
    Sequential model = mixed_model(inner);
    model.train_on_batch(x, y);
    model.train_on_batch(x, y);
    const auto before = values_of(inner->variables());
    const auto weights = model.get_weights();
    const Logs logs = model.train_on_batch(x, bad);
    expect_same(inner->variables(), before);
    EXPECT_EQ(difference(model.get_weights(), weights), 0);
    EXPECT_EQ(model.optimizer().loss_scale(), 32768 / 2);
    EXPECT_TRUE(std::isinf(*logs.find("loss")));
    model.train_on_batch(x, y);
    EXPECT_GT(difference(inner->iterations().array(), before[0]), 0);
  }
}

// Gradients are divided by the scale.
TEST(LossScale, NeverBecomesZero) {
  const auto optimizer =
      optimizers::LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 1e-36});
  const Variable w(Array::from<float>({1}, {1}), "w");
  for (int i = 0; i < 20; ++i)
    optimizer->apply_gradients({Tensor(Array::from<float>({NAN}, {1}))}, {w});
  EXPECT_GT(optimizer->loss_scale(), 0);
  optimizer->apply_gradients({Tensor(Array::from<float>({0}, {1}))}, {w});
  EXPECT_EQ(w.array().at(0), 1);
}

Model functional(const OptimizerRef& optimizer, const char* policy) {
  const PolicyScope scope(policy);
  set_random_seed(5);
  const Tensor x = Input({.shape = {features}});
  Model model({.inputs = {x}, .outputs = {layers::Dense({.units = 1})(x)}});
  model.compile({.optimizer = optimizer, .loss = {"mse"}});
  return model;
}

TEST(LossScale, ComesBackWithItsStateInAFunctionalModel) {
  const TemporaryFolder folder;
  const Array x = random_array({32, features}), y = random_array({32, 1});
  Model model = functional("adam", "mixed_float16");
  ASSERT_EQ(model.optimizer().class_name(), "LossScaleOptimizer");
  const FitArgs fit{.batch_size = 8, .verbose = 0, .shuffle = false};
  model.fit(x, y, fit);
  model.save(folder / "m.keras");
  Model loaded = load_model(folder / "m.keras");
  EXPECT_EQ(loaded.optimizer().class_name(), "LossScaleOptimizer");
  EXPECT_EQ(loaded.optimizer().iterations().array().at(0), 4);
  model.fit(x, y, fit);
  loaded.fit(x, y, fit);
  EXPECT_EQ(difference(loaded.get_weights(), model.get_weights()), 0);
}

TEST(LossScale, OfAFunctionalModelDoesNotDependOnThePolicyThatIsSetWhenItIsLoaded) {
  const TemporaryFolder folder;
  functional("adam", "float32").save(folder / "plain.keras");
  functional("adam", "mixed_float16").save(folder / "mixed.keras");
  const PolicyScope scope("mixed_float16");
  EXPECT_EQ(load_model(folder / "plain.keras").optimizer().class_name(), "Adam");
  EXPECT_EQ(load_model(folder / "mixed.keras").optimizer().class_name(), "LossScaleOptimizer");
}

TEST(LossScale, AppliesToAnotherOptimizerForALoadedModel) {
  const TemporaryFolder folder;
  functional("adam", "mixed_float16").save(folder / "m.keras");
  const Model loaded =
      load_model(folder / "m.keras", {.compile_overrides = Config::map({{"optimizer", "sgd"}})});
  EXPECT_EQ(loaded.optimizer().class_name(), "LossScaleOptimizer");
}

TEST(LossScale, AFixedFactorCancelsOut) {
  const auto train = [](std::optional<double> factor) {
    Sequential model = classifier();
    model.compile({.optimizer = optimizers::SGD({.loss_scale_factor = factor}),
                   .loss = {"sparse_categorical_crossentropy"}});
    const auto data = samples(48);
    model.fit(data.x, data.y, {.batch_size = 16, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  EXPECT_EQ(difference(train({}), train(1024)), 0) << "a power of two rounds nothing";
  EXPECT_THROW(optimizers::SGD({.loss_scale_factor = -1}), InvalidArgument);
}

TEST(LossScale, ComesBackFromItsConfig) {
  const auto made = optimizers::LossScaleOptimizer(
      {.inner_optimizer = optimizers::Adam({.learning_rate = 0.5, .loss_scale_factor = 4}),
       .dynamic_growth_steps = 7});
  const Config config = made->get_config();
  EXPECT_TRUE(config.find("inner_optimizer")->find("config")->find("loss_scale_factor")->is_null())
      << "the inner one must not scale again";
  const OptimizerRef again(Config::map({{"class_name", made->class_name()}, {"config", config}}));
  EXPECT_EQ(again->get_config(), config);
  EXPECT_EQ(again->learning_rate(), 0.5);
  EXPECT_THROW(optimizers::LossScaleOptimizer({.inner_optimizer = made}), InvalidArgument);
  EXPECT_THROW(optimizers::LossScaleOptimizer({}), InvalidArgument);
  EXPECT_THROW(optimizers::LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 0}),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker
