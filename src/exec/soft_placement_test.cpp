#include <gtest/gtest.h>

#include <set>

#include "exec/compiled_step.h"
#include "nn/training/batch_step.h"
#include "stoker/function.h"
#include "stoker/layers.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/host_call.h"
#include "stoker/ops/reduce.h"
#include "support/fake_gpu.h"

// What a device refuses runs on the CPU, inside the same step.
namespace stoker {
namespace {

using namespace layers;

Array ramp(Shape shape, float scale) {
  Array array(DType::float32, std::move(shape));
  auto values = array.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<float>(i % 17) - 0.4f;
  return array;
}

class SoftPlacement : public testing::FakeGpu {
 protected:
  static Sequential make_model() {
    set_random_seed(3);
    Sequential model({Input({.shape = {8, 8, 1}}),
                      Conv2D({.filters = 3, .kernel_size = {3, 3}, .activation = "relu"}),
                      MaxPooling2D({.pool_size = {2, 2}}), Flatten(), Dropout({.rate = 0.2}),
                      Dense({.units = 5, .activation = "softmax"})});
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    return model;
  }
  static Array labels() {
    Array y(DType::int64, Shape{20});
    auto values = y.mutable_data<int64_t>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7 % 5);
    return y;
  }
  static std::vector<double> losses(Model& model) {
    const History history = model.fit(ramp({20, 8, 8, 1}, 0.05f), labels(),
                                      {.batch_size = 8, .epochs = 3, .verbose = 0});
    return history["loss"];
  }
  static std::vector<double> train() {
    Sequential model = make_model();
    return losses(model);
  }
  static std::vector<double> train_on(const char* device) {
    const Device scope(device);
    return train();
  }
  // Of the step compiled by fit.
  static std::set<std::string> ops_of(Model& model) {
    std::set<std::string> ops;
    for (const auto& node : nn::step_for(model, Phase::train, {true, 1, 1, {false}},
                                         {{DType::int64, Shape{8}},
                                          {DType::float32, Shape{20, 8, 8, 1}},
                                          {DType::int64, Shape{20}}})
                                ->graph()
                                .nodes)
      if (!node.op->view) ops.insert(node.op->name);
    return ops;
  }
};

TEST_F(SoftPlacement, ADeviceOfItsOwnTrainsLikeTheCpu) {
  const auto expected = train_on("/cpu:0");
  EXPECT_EQ(train_on("fake:0"), expected);
  EXPECT_GT(control.steps, 0);
}

TEST_F(SoftPlacement, EveryOpCanBeRefused) {
  const auto expected = train();
  std::set<std::string> ops;
  {
    Sequential model = make_model();
    const Device scope("fake:0");
    ops = ops_of(model);
  }
  EXPECT_GT(ops.size(), 8u);
  for (const std::string& op : ops) {
    refuse(op);
    const auto found = train();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-4) << "without " << op << ", epoch " << i;
  }
}

TEST_F(SoftPlacement, AllOpsCanBeRefused) {
  const auto expected = train();
  std::string all;
  Sequential model = make_model();
  {
    const Device scope("fake:0");
    for (const std::string& op : ops_of(model)) all += op + ",";
  }
  refuse(all);
  const auto found = train();
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
}

TEST_F(SoftPlacement, CopiesOnlyWhatOthersRead) {
  const auto f = function([](const Tensor& x) { return ops::exp(ops::sum(ops::sin(x))); });
  const Tensor x(ramp({100}, 0.01f));
  const double expected = f(x).item();
  refuse("sin,reduce_sum,fused_elementwise");
  const auto g = function([](const Tensor& t) { return ops::exp(ops::sum(ops::sin(t))); });
  g(x);
  control.copies_to_device = control.copies_to_host = 0;
  const Tensor y = g(x);
  EXPECT_EQ(control.copies_to_host, 1);    // x, once for both nodes
  EXPECT_EQ(control.copies_to_device, 1);  // the sum; the sine stays on the host
  EXPECT_NEAR(y.item(), expected, 1e-4);
}

TEST_F(SoftPlacement, StatesThatTheCpuUpdates) {
  refuse("add,fused_elementwise");
  const Variable v(Array::scalar(1.0), "v"), w(Array::scalar(10.0), "w");
  const auto step = function([=](const Tensor& x) {
    const Tensor old = v;
    v.assign(old + x);
    w.assign(old);
    return w + x;
  });
  const Tensor two(Array::scalar(2.0));
  EXPECT_EQ(step(two).item(), 3);  // w is 1 by then
  EXPECT_EQ(step(two).item(), 5);
  EXPECT_EQ(v.array().at(0), 5);
  EXPECT_EQ(w.array().at(0), 3);
}

TEST_F(SoftPlacement, SaysOnceWhatTheCpuDoesAndWhy) {
  refuse("tanh");
  const Tensor x(ramp({3}, 1)), longer(ramp({7}, 1));
  ::testing::internal::CaptureStderr();
  ops::tanh(x);
  ops::tanh(longer);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("runs \"tanh\""), std::string::npos) << said;
  EXPECT_NE(said.find("the fake backend was told to refuse it"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(SoftPlacement, WithoutItTheRefusalIsTheError) {
  set_soft_device_placement(false);
  refuse("cos");
  const Tensor x(ramp({3}, 1));
  const std::string text = testing::message_of<Unsupported>([&] { ops::cos(x); });
  EXPECT_NE(text.find("cannot run \"cos\": the fake backend was told to refuse it"),
            std::string::npos)
      << text;
}

TEST_F(SoftPlacement, LogsWhereOpsRun) {
  refuse("sin");
  const Tensor x(ramp({5}, 1));
  set_log_device_placement(true);
  ::testing::internal::CaptureStderr();
  ops::exp(ops::sin(x));
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::string gpu = find_logical_device("fake:0").name;  // "/device:GPU:0"
  EXPECT_NE(said.find("sin: "), std::string::npos) << said;
  EXPECT_NE(said.find(" on /cpu:0"), std::string::npos) << said;
  EXPECT_NE(said.find(" on /gpu:" + gpu.substr(gpu.size() - 1)), std::string::npos) << said;
}

// A user's function runs on the host on any device, with or without soft placement.
TEST_F(SoftPlacement, HostFunctionsRunOnTheHost) {
  const HostFunction twice([](const std::vector<Array>& in) {
    Array out = in[0].clone();
    for (float& value : out.mutable_data<float>()) value *= 2;
    return std::vector<Array>{out};
  });
  set_soft_device_placement(false);
  const auto step = function([&](const Tensor& x) { return ops::host_call(x + 1.0, twice) - 1.0; });
  const Array x = ramp({4, 3}, 0.1f), y = step(Tensor(x)).array();
  set_soft_device_placement(true);
  EXPECT_GT(control.steps, 0);
  for (int64_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y.at(i), 2 * (x.at(i) + 1) - 1, 1e-6);
}

}  // namespace
}  // namespace stoker
