#include "nn/memory/device_of_model.h"

#include <gtest/gtest.h>

#include "exec/variable.h"
#include "stoker/layers.h"
#include "support/fresh_devices.h"

// On which device a model trains.
namespace stoker {
namespace {

using layers::Dense;

class ModelDevice : public testing::FreshDevices {
 protected:
  ModelDevice() { set_logical_device_configuration(cpu(), {{}, {}}); }

  static Sequential make_model() {
    Sequential model({Input({.shape = {4}}), Dense({.units = 8}), Dense({.units = 1})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model;
  }
  static std::string where(const Model& model) {
    return exec::memory_of(*model.weights().at(0).state()).memory().device().name();
  }
  static History fit(Model& model, std::vector<CallbackRef> callbacks = {}) {
    const Array x(DType::float32, Shape{32, 4}), y(DType::float32, Shape{32, 1});
    return model.fit(x, y, {.batch_size = 8, .verbose = 0, .callbacks = std::move(callbacks)});
  }
  static constexpr int64_t weight_bytes = 4 * (4 * 8 + 8 + 8 + 1);
};

TEST_F(ModelDevice, TrainsWhereItWasMade) {
  std::optional<Sequential> model;
  {
    const Device scope("/cpu:1");
    model.emplace(make_model());
  }
  fit(*model);
  EXPECT_EQ(where(*model), "/cpu:1");
  const MemoryInfo info = get_memory_info("/cpu:1");
  EXPECT_EQ(info["parameters"].current, weight_bytes);
  EXPECT_EQ(info["optimizer"].current, 2 * weight_bytes + 8 + 4);  // moments, iterations, rate
  EXPECT_GT(info["activations"].current, 0);
  const MemoryInfo elsewhere = get_memory_info("/cpu:0");
  for (const char* kind : {"parameters", "optimizer", "inputs"})
    EXPECT_EQ(elsewhere[kind].current, 0) << kind;
}

TEST_F(ModelDevice, FollowsAScopeAndGoesBack) {
  Sequential model = make_model();
  fit(model);
  EXPECT_EQ(where(model), "/cpu:0");
  const auto before = model.get_weights();
  {
    const Device scope("/cpu:1");
    model.predict(Array(DType::float32, Shape{2, 4}));
    EXPECT_EQ(where(model), "/cpu:1");
    EXPECT_EQ(get_memory_info("/cpu:1")["optimizer"].current, 0);
  }
  const auto after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i)
    for (int64_t j = 0; j < before[i].size(); ++j) EXPECT_EQ(before[i].at(j), after[i].at(j));
  fit(model);
  EXPECT_EQ(where(model), "/cpu:0");
}

TEST_F(ModelDevice, ACallbackCannotTakeTheWeightsElsewhere) {
  struct Elsewhere : Callback {
    void on_epoch_end(int64_t, Logs&) override {
      const Device scope("/cpu:1");
      model().predict(Array(DType::float32, Shape{2, 4}));
    }
  };
  Sequential model = make_model();
  const std::string text =
      testing::message_of<InvalidArgument>([&] { fit(model, {std::make_shared<Elsewhere>()}); });
  EXPECT_NE(text.find("cannot move to /cpu:1: a step that is running on /cpu:0"), std::string::npos)
      << text;
  fit(model);  // nothing is pinned any more
  const Device scope("/cpu:1");
  fit(model);
}

TEST_F(ModelDevice, AModelThatDoesNotFitIsRefusedBeforeItTrains) {
  device::Registry::global().reset();
  set_logical_device_configuration(cpu(), {{.memory_limit = 1}});
  Sequential model({Input({.shape = {1000}}), Dense({.units = 1000})});
  model.compile({.loss = "mse"});
  const Array x(DType::float32, Shape{8, 1000});
  const std::string text =
      testing::message_of<OutOfMemory>([&] { model.fit(x, x, {.verbose = 0}); });
  EXPECT_NE(text.find("1.00 MB of 1.00 MB are free"), std::string::npos) << text;
  EXPECT_EQ(get_memory_info("/cpu:0").current, 0);
}

}  // namespace
}  // namespace stoker
