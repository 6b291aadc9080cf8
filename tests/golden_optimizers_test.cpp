#include "graph/trace.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/losses.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/optimizers.h"
#include "stoker/schedules.h"
#include "support/relative.h"

namespace stoker {
namespace {

using golden::near_relative;

// The small network of the golden files: dense(tanh), dense, sparse cross-entropy.
struct Network {
  std::vector<Variable> weights;
  LossRef loss;

  explicit Network(const golden::Group& group) : loss(*model(group).find("loss")) {
    for (const Array& initial : group.list(model(group), "initial_weights"))
      weights.emplace_back(initial, "w" + std::to_string(weights.size()));
  }
  static const Config& model(const golden::Group& group) { return *group.meta.find("model"); }

  Tensor step(Optimizer& optimizer, const Tensor& x, const Tensor& y) const {
    GradientTape tape;
    const Tensor hidden = ops::tanh(ops::matmul(x, weights[0]) + weights[1]);
    const Tensor value = loss(y, ops::matmul(hidden, weights[2]) + weights[3]);
    optimizer.apply_gradients(tape.gradient(value, weights), weights);
    return value;
  }
};

template <class Step>
void expect_curve(const golden::Group& group, const Config& c, const Network& network,
                  Optimizer& optimizer, Step step) {
  const Array x = group.array(Network::model(group), "x"),
              y = group.array(Network::model(group), "y");
  const Array losses = group.array(c, "losses");
  for (int64_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(step(x, y).item(), losses.at(i), 1e-5 * losses.at(i))
        << golden::id(c) << " step " << i;
  optimizer.finalize_variable_values();
  const auto final_weights = group.list(c, "final_weights");
  for (size_t i = 0; i < final_weights.size(); ++i)
    EXPECT_TRUE(near_relative(network.weights[i].array(), final_weights[i]))
        << golden::id(c) << " weight " << i;
}

TEST(GoldenOptimizers, TwentyTracedStepsAreKeras) {
  const auto group = golden::load("optimizers");
  ASSERT_GT(group.cases().size(), 50u);
  for (const Config& c : group.cases()) {
    const Network network(group);
    const OptimizerRef optimizer(golden::object_of(c));
    const auto step =
        function([&](const Tensor& x, const Tensor& y) { return network.step(*optimizer, x, y); });
    expect_curve(group, c, network, *optimizer, step);
    EXPECT_EQ(step.traces(), 1u);
  }
}

TEST(GoldenOptimizers, TwentyUntracedStepsAreKeras) {
  const auto group = golden::load("optimizers");
  for (const char* class_name : {"Adam", "RMSprop"})
    for (const Config& c : group.cases())
      if (c.find("class_name")->as_string() == class_name) {
        const Network network(group);
        const OptimizerRef optimizer(golden::object_of(c));
        expect_curve(group, c, network, *optimizer, [&](const Tensor& x, const Tensor& y) {
          return network.step(*optimizer, x, y);
        });
        break;
      }
}

std::vector<std::string> names(const Optimizer& optimizer) {
  std::vector<std::string> found;
  for (const Variable& v : optimizer.variables()) found.push_back(v.name());
  return found;
}

const Array two = Array::from<float>({1, 2}, {2});

TEST(Optimizers, VariablesAreInKerasOrder) {
  const Variable a(two, "a"), b(two, "b");
  const auto adam = optimizers::Adam({.amsgrad = true});
  adam->apply_gradients({two, {}}, {a, b});  // b has no gradient, but slots
  const std::vector<std::string> want = {
      "adam/iteration",  "adam/learning_rate", "adam/a/momentum",     "adam/a/velocity",
      "adam/b/momentum", "adam/b/velocity",    "adam/a/velocity_hat", "adam/b/velocity_hat"};
  EXPECT_EQ(names(*adam), want);
  const auto rmsprop = optimizers::RMSprop({.momentum = 0.5, .centered = true});
  rmsprop->build({a, b});
  EXPECT_EQ(names(*rmsprop)[3], "rmsprop/b/velocity");
  const auto scheduled =
      optimizers::SGD({.learning_rate = schedules::InverseTimeDecay(
                           {.initial_learning_rate = 1, .decay_steps = 1, .decay_rate = 1})});
  EXPECT_EQ(names(*scheduled), std::vector<std::string>{"sgd/iteration"});
}

TEST(Optimizers, TheLearningRateCanBeReadAndSet) {
  const Variable w(two, "w");
  const auto sgd = optimizers::SGD({.learning_rate = 0.5});
  const auto step = function([&](const Tensor& g) { sgd->apply_gradients({g}, {w}); });
  step(two);
  sgd->set_learning_rate(0.25);
  step(two);
  EXPECT_EQ(w.array().at(1), 2 - 1 - 0.5);
  EXPECT_EQ(sgd->learning_rate(), 0.25);
  EXPECT_EQ(sgd->get_config().find("learning_rate")->as_double(), 0.25);
  EXPECT_EQ(sgd->iterations().array().at(0), 2);
}

TEST(Optimizers, AScheduleMovesTheRateAndCannotBeSet) {
  const Variable w(two, "w");
  const auto sgd = optimizers::SGD({.learning_rate = schedules::PiecewiseConstantDecay(
                                        {.boundaries = {0}, .values = {1, 0.5}})});
  EXPECT_EQ(sgd->learning_rate(), 1);
  sgd->apply_gradients({two}, {w});
  EXPECT_EQ(sgd->learning_rate(), 0.5);
  EXPECT_THROW(sgd->set_learning_rate(0.1), InvalidArgument);
}

TEST(Optimizers, AccumulationChangesNothingUntilTheLastStep) {
  const Variable w(two, "w");
  const auto adam = optimizers::Adam({.learning_rate = 0.5, .gradient_accumulation_steps = 3});
  const auto step = function([&](const Tensor& g) { adam->apply_gradients({g}, {w}); });
  const std::vector<std::string> want = {"adam/iteration", "adam/learning_rate",
                                         "adam/w/gradient_accumulator", "adam/w/momentum",
                                         "adam/w/velocity"};
  for (int i = 0; i < 2; ++i) {
    step(two);
    EXPECT_EQ(w.array().at(1), 2);
    EXPECT_EQ(adam->variables()[3].array().at(1), 0) << "the momentum moved";
  }
  EXPECT_EQ(names(*adam), want);
  EXPECT_EQ(adam->variables()[2].array().at(1), 4);
  step(two);
  EXPECT_NEAR(w.array().at(1), 1.5, 1e-5);
  EXPECT_EQ(adam->variables()[2].array().at(1), 0) << "the sum was not cleared";
  EXPECT_EQ(adam->iterations().array().at(0), 3);
}

TEST(Optimizers, ANonFiniteSumIsClearedToo) {
  const Variable w(two, "w");
  const auto sgd = optimizers::SGD({.gradient_accumulation_steps = 2});
  const Array bad = Array::from<float>({1, INFINITY}, {2});
  sgd->apply_gradients({bad}, {w});
  sgd->apply_gradients({bad}, {w});
  EXPECT_EQ(sgd->variables()[2].array().at(1), 0);
}

TEST(Optimizers, PlainAdamIsOneOpPerVariable) {
  const Variable a(two, "a"), b(two, "b");
  const auto adam = optimizers::Adam();
  graph::Trace trace;
  const graph::EmitterScope scope(trace);
  const Tensor gradient = trace.input(two.type());
  adam->apply_gradients({gradient, gradient}, {a, b});
  int updates = 0, others = 0;
  for (const auto& node : trace.graph().nodes) {
    if (node.op->name == "adam_update") {
      ++updates;
      EXPECT_EQ(node.inputs[3], trace.graph().inputs[0]) << "not the gradient itself";
    } else {
      ++others;
      EXPECT_EQ(trace.graph().type(node.outputs[0]).shape.size(), 1) << node.op->name;
    }
  }
  EXPECT_EQ(updates, 2);
  EXPECT_LE(others, 10) << "the scalars are not shared";
}

TEST(Optimizers, MistakesAreRefused) {
  EXPECT_THROW(optimizers::SGD({.clipnorm = 1, .clipvalue = 1}), InvalidArgument);
  EXPECT_THROW(optimizers::SGD({.momentum = 2}), InvalidArgument);
  EXPECT_THROW(optimizers::AdamW({.weight_decay = std::nullopt}), InvalidArgument);
  EXPECT_THROW(optimizers::SGD()->apply_gradients({Tensor()}, {Variable(two, "w")}),
               InvalidArgument);
  try {
    OptimizerRef("addam");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("Adam"), std::string::npos);
  }
  const auto with = [](const char* key, const Config& value) {
    return OptimizerRef(
        Config::map({{"class_name", "Adam"}, {"config", Config::map({{key, value}})}}));
  };
  EXPECT_THROW(with("beta1", 0.9), InvalidArgument);
  EXPECT_THROW(with("gradient_accumulation_steps", 1), InvalidArgument);
  EXPECT_THROW(with("ema_momentum", 1.5), InvalidArgument);
  EXPECT_THROW(with("ema_overwrite_frequency", 0), InvalidArgument);
}

TEST(Optimizers, ConfigsGoThereAndBack) {
  const LearningRate rate = schedules::ExponentialDecay(
      {.initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.9});
  for (const OptimizerRef& o :
       {OptimizerRef(optimizers::Adam({.learning_rate = rate, .beta_1 = 0.8, .clipnorm = 1})),
        OptimizerRef(optimizers::SGD(
            {.gradient_accumulation_steps = 4, .use_ema = true, .ema_overwrite_frequency = 7})),
        OptimizerRef("rmsprop"), OptimizerRef("adamw"), OptimizerRef("Adagrad")}) {
    const OptimizerRef again(
        Config::map({{"class_name", o->class_name()}, {"config", o->get_config()}}));
    EXPECT_EQ(again->get_config(), o->get_config());
  }
}

}  // namespace
}  // namespace stoker
