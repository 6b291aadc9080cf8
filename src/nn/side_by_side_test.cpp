#include <set>
#include <thread>

#include "nn/test_models.h"

namespace stoker {
namespace {

using test::classifier;
using test::difference;
using test::samples;

// Each its own model; together as alone.
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

}  // namespace
}  // namespace stoker
