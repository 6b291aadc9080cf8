#include "nn/test_models.h"
#include "stoker/gradient_tape.h"
#include "stoker/layers/rescaling.h"
#include "stoker/metrics/mean.h"
#include "stoker/ops/host_call.h"
#include "stoker/optimizers/sgd.h"

namespace stoker {
namespace {

using namespace test;

LayerRef small_network(int64_t units) {
  set_random_seed(7);
  return Sequential({Input({.shape = {features}}),
                     layers::Dense({.units = 6, .activation = "tanh"}),
                     layers::Dense({.units = units})});
}

// Two adversarial networks: one learns to rate what the other makes of x.
struct Pair {
  LayerRef maker = small_network(features), judge = small_network(1);
  OptimizerRef maker_optimizer = optimizers::Adam({.learning_rate = 0.02});
  OptimizerRef judge_optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.5});

  struct Losses {
    Tensor judge, maker;
  };
  Losses step(const Tensor& x) const {
    Losses losses;
    {
      GradientTape tape;
      losses.judge =
          ops::mean(ops::square(judge(x) - 1.0)) + ops::mean(ops::square(judge(maker(x))));
      const auto variables = judge->trainable_variables();
      judge_optimizer->apply_gradients(tape.gradient(losses.judge, variables), variables);
    }
    GradientTape tape;
    losses.maker = ops::mean(ops::square(judge(maker(x)) - 1.0));
    const auto variables = maker->trainable_variables();
    maker_optimizer->apply_gradients(tape.gradient(losses.maker, variables), variables);
    return losses;
  }
};

class Adversaries : public Model {
 public:
  Adversaries() : Adversaries(Pair()) {}
  StepLogs train_step(const StepData& data) override {
    const auto losses = pair.step(data.x[0]);
    judge_loss->update_state(losses.judge, {});
    maker_loss->update_state(losses.maker, {});
    return {{"judge", judge_loss->result()}, {"maker", maker_loss->result()}};
  }
  std::vector<std::shared_ptr<Metric>> metrics() const override { return {judge_loss, maker_loss}; }
  std::vector<Tensor> call(const std::vector<Tensor>& x, const CallArgs& args) override {
    return {pair.maker(x[0], args)};
  }
  Pair pair;
  std::shared_ptr<Metric> judge_loss = metrics::Mean({.name = "judge"}),
                          maker_loss = metrics::Mean({.name = "maker"});

 private:
  explicit Adversaries(const Pair& p) : Model({{"maker", p.maker}, {"judge", p.judge}}), pair(p) {
    compile({.optimizer = "sgd"});
  }
};

TEST(OwnTrainStep, TwoOptimizersInOneStepAreAHandWrittenLoop) {
  const auto x = samples(40).x;
  Adversaries model;
  const History history =
      model.fit(x, {}, {.batch_size = 16, .epochs = 2, .verbose = 0, .shuffle = false});
  const Pair by_hand;
  double judge = 0, maker = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    judge = maker = 0;
    for (const auto& [begin, end] : {std::pair{0, 16}, {16, 32}, {32, 40}}) {
      const auto losses = by_hand.step(x.rows(begin, end));
      judge += losses.judge.item() / 3;
      maker += losses.maker.item() / 3;
    }
  }
  EXPECT_LT(difference(model.pair.maker->get_weights(), by_hand.maker->get_weights()), 1e-5);
  EXPECT_LT(difference(model.pair.judge->get_weights(), by_hand.judge->get_weights()), 1e-5);
  EXPECT_NEAR(history["judge"].back(), judge, 1e-5);  // trackers start anew in every epoch
  EXPECT_NEAR(history["maker"].back(), maker, 1e-5);
  EXPECT_FALSE(history.contains("loss"));
}

TEST(OwnTrainStep, PredictUsesItsCall) {
  const auto x = samples(8).x;
  Adversaries model;
  EXPECT_LT(difference(model.predict(x), model.pair.maker(Tensor(x)).array()), 1e-6);
  EXPECT_EQ(model.weights().size(), 8u);  // of both networks
}

TEST(OwnTrainStep, SeveralNetworksWithoutACallSaySo) {
  Model model({{"a", small_network(2)}, {"b", small_network(2)}}, "pair");
  model.compile({.loss = "mse"});
  EXPECT_ERROR(model.predict(samples(8).x), "override Model::call");
}

// Metrics of a user-defined step that returns no logs are reported by name.
class Tracked : public Model {
 public:
  Tracked() : Model(small_network(1)) { compile({.optimizer = "sgd", .loss = "mse"}); }
  StepLogs train_step(const StepData& data) override {
    largest->update_state(ops::max(data.x[0]), {});
    return {};
  }
  std::vector<std::shared_ptr<Metric>> metrics() const override { return {largest}; }
  std::shared_ptr<Metric> largest = metrics::Mean({.name = "largest"});
};

TEST(OwnTrainStep, MetricsOfOnesOwnAreReported) {
  const auto x = samples(16).x;
  Tracked model;
  const History history = model.fit(x, {}, {.batch_size = 16, .epochs = 2, .verbose = 0});
  float most = x.data<float>()[0];
  for (float value : x.data<float>()) most = std::max(most, value);
  EXPECT_NEAR(history["largest"].back(), most, 1e-6);
}

// A layer that adds a penalty on its input to the loss.
struct Shy : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override {
    add_loss(0.1 * ops::mean(ops::abs(x)));
    return x;
  }
};

TEST(OwnTrainStep, LossesAddedByLayersCount) {
  const auto data = samples(12);
  const auto y = Array(DType::float32, {12, 1});
  const auto loss_with = [&](bool shy) {
    set_random_seed(3);
    std::vector<Sequential::Item> items{Input({.shape = {features}})};
    if (shy) items.emplace_back(make_layer<Shy>());
    items.emplace_back(layers::Dense({.units = 1}));
    Sequential model(items);
    model.compile({.loss = "mse"});
    return *model.evaluate(data.x, y, {.batch_size = 12, .verbose = 0}).find("loss");
  };
  double size = 0;
  for (float value : data.x.data<float>())
    size += std::abs(value) / static_cast<double>(data.x.size());
  EXPECT_NEAR(loss_with(true) - loss_with(false), 0.1 * size, 1e-5);
}

// A layer inside a model that computes on the host.
struct Halving : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override { return ops::host_call(x, half); }
  static std::vector<Array> halved(const Array& x) {
    Array y = x.clone();
    for (float& value : y.mutable_data<float>()) value *= 0.5f;
    return {y};
  }
  HostFunction half{[](const std::vector<Array>& in) { return halved(in[0]); },
                    [](const std::vector<Array>& in) { return halved(in[2]); }};
};

TEST(HostCall, TrainsInsideAModelAndHasItsPlaceInTheAccount) {
  const auto data = samples(60);
  const auto make = [](bool on_host) {
    set_random_seed(3);
    std::vector<Sequential::Item> items{Input({.shape = {features}}), layers::Dense({.units = 8})};
    if (on_host)
      items.emplace_back(make_layer<Halving>());
    else
      items.emplace_back(layers::Rescaling({.scale = 0.5}));
    items.emplace_back(layers::Dense({.units = classes, .activation = "softmax"}));
    Sequential model(items);
    model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    return model;
  };
  auto on_host = make(true), plain = make(false);
  const FitArgs args{.batch_size = 16, .epochs = 3, .verbose = 0, .shuffle = false};
  on_host.fit(data.x, data.y, args);
  plain.fit(data.x, data.y, args);
  EXPECT_LT(difference(on_host.get_weights(), plain.get_weights()), 1e-6);
  EXPECT_NE(on_host.account().find("host calls"), std::string::npos) << on_host.account();
  EXPECT_EQ(plain.account().find("host calls"), std::string::npos) << plain.account();
}

}  // namespace
}  // namespace stoker
