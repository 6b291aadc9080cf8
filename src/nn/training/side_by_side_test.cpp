#include <atomic>
#include <set>
#include <thread>

#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/numerics.h"
#include "stoker/ops/host_call.h"

namespace stoker {
namespace {

using test::classifier;
using test::difference;
using test::features;
using test::samples;

// Models in separate threads train as they would alone.
TEST(SideBySide, ModelsTrainAsAlone) {
  constexpr size_t count = 4;
  const auto data = samples(200);
  std::vector<Sequential> alone, together;
  for (size_t t = 0; t < count; ++t) {
    alone.push_back(classifier(0.05, t + 1));
    together.push_back(classifier(0.05, t + 1));
  }
  const auto train = [&](Sequential& model) {
    for (int i = 0; i < 3; ++i)
      model.fit(data.x, data.y,
                {.epochs = 2, .verbose = 0, .validation_split = .2, .shuffle = false});
  };
  for (Sequential& model : alone) train(model);
  std::vector<std::thread> threads;
  for (Sequential& model : together) threads.emplace_back([&] { train(model); });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < count; ++t)
    EXPECT_EQ(difference(alone[t].get_weights(), together[t].get_weights()), 0) << t;
}

TEST(SideBySide, ModelsAreMade) {
  constexpr size_t count = 4;
  std::vector<std::string> names[count];
  std::vector<std::thread> threads;
  for (auto& mine : names)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 20; ++i) {
        Sequential model({Input({.shape = {6}}), layers::Dense({.units = 3})});
        model.predict(Array(DType::float32, {2, 6}), {.verbose = 0});
        mine.push_back(model.layers().back()->name());
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& mine : names) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 20 * count);
}

TEST(SideBySide, AnInterruptEndsAllOfThem) {
  constexpr size_t count = 3;
  const auto data = samples(40);
  std::vector<Sequential> models;
  for (size_t t = 0; t < count; ++t) models.push_back(classifier(0.05, t + 1));
  std::atomic<size_t> began{0};
  std::vector<History> histories(count);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      const auto begins = callbacks::LambdaCallback(
          {.on_epoch_begin = [&](int64_t epoch, const Logs&) { began += epoch == 0; }});
      histories[t] =
          models[t].fit(data.x, data.y, {.epochs = 1 << 30, .verbose = 0, .callbacks = {begins}});
    });
  while (began < count) std::this_thread::yield();
  interrupt();
  for (std::thread& thread : threads) thread.join();
  for (const History& history : histories) EXPECT_TRUE(history.interrupted);
}

// A model created meanwhile uses either value.
TEST(SideBySide, ASwitchIsTurnedWhileAModelTrains) {
  const auto data = samples(40);
  std::atomic<bool> trained{false};
  std::thread beside([&] {
    for (bool on = true; !trained; on = !on) enable_op_determinism(on);
  });
  for (size_t t = 0; t < 3; ++t) {
    auto model = classifier(0.05, t + 1);
    const History history = model.fit(data.x, data.y, {.epochs = 2, .verbose = 0});
    EXPECT_EQ(history.epoch.size(), 2u);
  }
  trained = true;
  beside.join();
  enable_op_determinism(false);
}

struct Counting : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override { return ops::host_call(x, same); }
  static inline std::atomic<int64_t> calls{0};
  HostFunction same{[](const std::vector<Array>& in) { return ++calls, std::vector{in[0]}; },
                    [](const std::vector<Array>& in) { return std::vector{in[2]}; }};
};

// One calls host functions all the time, the other none.
TEST(SideBySide, EachHasItsOwnAccount) {
  const auto data = samples(40);
  set_random_seed(3);
  Sequential calling(
      {Input({.shape = {features}}), make_layer<Counting>(), layers::Dense({.units = 3})});
  calling.compile({.optimizer = "sgd", .loss = "mse"});
  auto plain = classifier();
  std::thread beside([&] {
    calling.fit(data.x, test::random_array({40, 3}),
                {.batch_size = 4, .epochs = 1 << 30, .verbose = 0});
  });
  const auto until_it_called = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { plain.stop_training = Counting::calls > 1000; }});
  plain.fit(data.x, data.y,
            {.batch_size = 4, .epochs = 1 << 30, .verbose = 0, .callbacks = {until_it_called}});
  interrupt();
  beside.join();
  EXPECT_PRED_FORMAT2(::testing::IsNotSubstring, "host calls", plain.account());
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "host calls", calling.account());
}

}  // namespace
}  // namespace stoker
