#include "stoker/serializable.h"

#include <gtest/gtest.h>

#include "graph/op.h"
#include "io/test_files.h"
#include "nn/config/own_classes.h"
#include "nn/config/registry.h"
#include "stoker/io.h"
#include "stoker/layers/dense.h"
#include "stoker/losses/mean_squared_error.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/optimizers/sgd.h"

namespace stoker {
namespace {

// x * factor * weight, with an argument and a weight.
struct Scale : Layer {
  explicit Scale(double f) : Layer("Scale"), factor(f) {}
  explicit Scale(const Config& config) : Scale(config.find("factor")->as_double()) {}
  void build(const Shape& input) override {
    weight = add_weight("weight", {.shape = {input.back()}, .initializer = "ones"});
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x * weight * factor; }
  Config get_config() const override {
    Config config = Layer::get_config();
    config["factor"] = factor;
    return config;
  }
  double factor;
  Variable weight;
};
const RegisterSerializable<Scale> scale_registered{"tests", "Scale"};

struct Asymmetric : Loss {
  Asymmetric() : Loss("asymmetric") {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const Tensor error = y_pred - y_true;
    return ops::mean(ops::where(ops::greater(error, 0), error * error, error * error * 3.0),
                     {.axis = {-1}});
  }
};
const RegisterSerializable<Asymmetric> loss_registered{"tests", "Asymmetric"};

struct LargestError : Metric {
  explicit LargestError(std::string name = "largest") : Metric(std::move(name)) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor&) override {
    largest.assign(ops::maximum(largest, ops::max(ops::abs(y_pred - y_true))));
  }
  Tensor result() const override { return largest; }
  Variable largest = add_variable("largest");
};
const RegisterSerializable<LargestError> metric_registered{"tests", "LargestError"};

// rate / (1 + step): a plausible user-defined schedule.
struct Harmonic : Schedule {
  explicit Harmonic(double r) : rate(r) {}
  static std::shared_ptr<Harmonic> from_config(const Config& config) {
    return std::make_shared<Harmonic>(config.find("rate")->as_double());
  }
  Tensor operator()(const Tensor& step) const override { return rate / (step + 1.0); }
  std::string class_name() const override { return "Harmonic"; }
  Config get_config() const override { return Config::map({{"rate", rate}}); }
  double rate;
};
const RegisterSerializable<Harmonic> schedule_registered{"tests", "Harmonic"};

const RegisterFunction squared{"tests", "squared", [](const Tensor& y_true, const Tensor& y_pred) {
                                 return ops::mean((y_pred - y_true) * (y_pred - y_true),
                                                  {.axis = {-1}});
                               }};

struct NotRegistered : Layer {
  NotRegistered() : Layer("NotRegistered") {}
  Tensor call(const Tensor& x, const CallArgs&) override { return x + 1.0; }
};
struct PlainSchedule : Harmonic {
  using Harmonic::Harmonic;
  std::string class_name() const override { return "PlainSchedule"; }
};

const Array x = Array::from(std::vector<float>{1, -2, 3, 4, 0.5, -1}, {3, 2});
const Array y = Array::from(std::vector<float>{1, 0, -1}, {3, 1});
const FitArgs quietly{.batch_size = 3, .epochs = 2, .verbose = 0, .shuffle = false};

Sequential scaled() {
  return Sequential({Input({.shape = {2}}), make_layer<Scale>(2.5),
                     layers::Dense({.units = 1, .kernel_initializer = "ones"})});
}

std::vector<float> numbers(const Array& array) {
  return {array.data<float>().begin(), array.data<float>().end()};
}

Config object_of(const Config& model, size_t layer) {
  return model.find("config")->find("layers")->as_list().at(layer);
}

TEST(OwnClasses, GoThroughAModelFile) {
  TemporaryFolder folder;
  Sequential model = scaled();
  const LearningRate rate(std::make_shared<Harmonic>(0.01));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}),
                 .loss = LossRef(std::make_shared<Asymmetric>()),
                 .metrics = {std::make_shared<LargestError>("worst"), squared}});
  model.fit(x, y, quietly);
  ::testing::internal::CaptureStderr();
  model.save(folder / "m.keras");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");

  Model again = load_model(folder / "m.keras");
  EXPECT_EQ(again.to_config(), model.to_config());
  EXPECT_EQ(numbers(again.predict(x)), numbers(model.predict(x)));
  const Logs before = model.evaluate(x, y, {.verbose = 0}),
             after = again.evaluate(x, y, {.verbose = 0});
  for (const char* name : {"loss", "worst", "squared"}) {
    ASSERT_NE(after.find(name), nullptr) << name;
    EXPECT_EQ(*after.find(name), *before.find(name)) << name;
  }
  EXPECT_EQ(again.optimizer().learning_rate(), model.optimizer().learning_rate());
  EXPECT_EQ(again.fit(x, y, quietly)["loss"], model.fit(x, y, quietly)["loss"]);
}

TEST(OwnClasses, AreWrittenAsKerasWritesRegisteredOnes) {
  Sequential model = scaled();
  model.compile({.optimizer = "sgd", .loss = {squared}});
  const Config file = model.to_config(), layer = object_of(file, 1);
  EXPECT_EQ(layer.find("module")->as_string(), "tests");
  EXPECT_EQ(layer.find("class_name")->as_string(), "Scale");
  EXPECT_EQ(layer.find("registered_name")->as_string(), "tests>Scale");
  EXPECT_EQ(layer.find("config")->find("factor")->as_double(), 2.5);
  const Config* loss = file.find("compile_config")->find("loss");
  EXPECT_EQ(loss->to_string(),
            R"({"module": "builtins", "class_name": "function", "config": "tests>squared", )"
            R"("registered_name": "function"})");
}

TEST(OwnClasses, KeepNameAndDtypeOfTheFile) {
  const auto layer = make_layer<Scale>(2.0);
  layer->set_name("twice");
  layer->set_dtype_policy("mixed_bfloat16");
  layer->set_trainable(false);
  const LayerRef again = make_layer_from_config("tests>Scale", layer->get_config());
  EXPECT_EQ(again->get_config(), layer->get_config());
}

TEST(OwnClasses, AreFoundInFilesOfWhoDidNotRegisterThem) {
  Sequential model = scaled();
  Config file = model.to_config();
  std::string text = file.to_string();
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace(R"("module": "tests")", R"("module": null)");
  const Model registered_elsewhere = Model::from_config(parse_json(text));
  EXPECT_EQ(registered_elsewhere.layers()[0]->class_name(), "Scale");
  EXPECT_EQ(nn::unregistered_in(registered_elsewhere.to_config()), std::vector<std::string>{});
  replace(R"("tests>Scale")", R"("Scale")");
  const Model again = Model::from_config(parse_json(text));
  EXPECT_EQ(again.layers()[0]->class_name(), "Scale");
}

TEST(OwnClasses, SayThatTheyAreNotRegistered) {
  TemporaryFolder folder;
  Sequential model({Input({.shape = {2}}), make_layer<NotRegistered>(), scaled().layers().back()});
  const auto loss = [](const Tensor& a, const Tensor& b) { return ops::mean((a - b) * (a - b)); };
  model.compile({.optimizer = optimizers::SGD(
                     {.learning_rate = LearningRate(std::make_shared<PlainSchedule>(0.1))}),
                 .loss = {LossRef(loss, "mine")}});
  ::testing::internal::CaptureStderr();
  model.save(folder / "m.keras");
  const std::string said = ::testing::internal::GetCapturedStderr();
  for (const char* name :
       {"class NotRegistered", "class PlainSchedule", "function \"mine\"", "not registered"})
    EXPECT_NE(said.find(name), said.npos) << name << " in " << said;
  EXPECT_THROW(load_model(folder / "m.keras"), Unsupported);
}

TEST(OwnClasses, LoseNoArgumentSilently) {
  struct Forgetful : Layer {
    explicit Forgetful(double f = 1) : Layer("Forgetful"), factor(f) {}
    Tensor call(const Tensor& in, const CallArgs&) override { return in * factor; }
    Config get_config() const override {
      Config config = Layer::get_config();
      config["factor"] = factor;
      return config;
    }
    double factor;
  };
  const RegisterSerializable<Forgetful> registered_here{"tests", "Forgetful"};
  EXPECT_NO_THROW(make_layer_from_config("tests>Forgetful", Forgetful().get_config()));
  EXPECT_THROW(make_layer_from_config("tests>Forgetful", Forgetful(3).get_config()),
               InvalidArgument);
}

TEST(OwnClasses, AreRegisteredOnce) {
  struct Another : NotRegistered {};
  EXPECT_THROW((RegisterSerializable<Another>{"tests", "Scale"}), InvalidArgument);
  EXPECT_THROW((RegisterSerializable<Scale>{"tests", "Other"}), InvalidArgument);
  EXPECT_THROW(
      (RegisterFunction{"tests", "squared", [](const Tensor& a, const Tensor&) { return a; }}),
      InvalidArgument);
  EXPECT_THROW((RegisterSerializable<Another>{"tests", "a>b"}), InvalidArgument);
}

template <class Entry>
std::string refusal_of(const Entry& add) {
  try {
    add();
    return "it was accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Registries, NameBothPlacesOfASecondEntry) {
  const std::string layer = refusal_of([] {
    nn::Registrar<LayerRef>{"Dense", [](const Config&) { return LayerRef(); }};
  });
  EXPECT_NE(layer.find("\"Dense\" is registered twice"), std::string::npos) << layer;
  EXPECT_NE(layer.find("core/dense.cpp:"), std::string::npos) << layer;
  EXPECT_NE(layer.find("serializable_test.cpp:"), std::string::npos) << layer;
  const std::string op = refusal_of([] { graph::RegisterOp{graph::Op{.name = "matmul"}}; });
  EXPECT_NE(op.find("ops/matmul.cpp:"), std::string::npos) << op;
  EXPECT_NE(op.find("serializable_test.cpp:"), std::string::npos) << op;
}

TEST(Registries, RefuseASecondEntryOfAName) {
  const auto make = [](const Config&) { return LossRef("mse"); };
  EXPECT_THROW((nn::Registrar<LossRef>{"MeanSquaredError", make}), InvalidArgument);
  EXPECT_THROW((nn::Registrar<LossRef>{"NewOne", make, {"mse"}}), InvalidArgument);
  EXPECT_THROW((graph::RegisterOp{graph::Op{.name = "matmul"}}), Internal);
}

TEST(OwnSchedule, TrainsWithoutBeingRegistered) {
  Sequential model({Input({.shape = {1}}),
                    layers::Dense({.units = 1, .use_bias = false, .kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD(
                     {.learning_rate = LearningRate(std::make_shared<PlainSchedule>(0.25))}),
                 .loss = "mse"});
  const Array one = Array::from(std::vector<float>{1}, {1, 1});
  model.fit(one, one, {.batch_size = 1, .epochs = 2, .verbose = 0});
  // d/dw (w - 1)^2 = 2 (w - 1): 0 + 0.25 * 2 = 0.5, then 0.5 + 0.125 * 1.
  EXPECT_FLOAT_EQ(model.get_weights()[0].data<float>()[0], 0.625F);
  EXPECT_NEAR(model.optimizer().learning_rate(), 0.25 / 3, 1e-7);
  EXPECT_EQ(model.optimizer().get_config().find("learning_rate")->find("class_name")->as_string(),
            "PlainSchedule");
}

}  // namespace
}  // namespace stoker
