#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>

#include "device/backend.h"
#include "device/scope.h"
#include "exec/traced_step.h"
#include "stoker/stoker.h"

// Driver calls of fit on a GPU: none besides launches, whatever the number of steps.
namespace stoker {
namespace {

struct Counters {
  uint64_t allocations = 0, waits = 0, launches = 0, graph_launches = 0;
};

Counters counters() {
  void* plugin = dlopen(device::load_backend("cuda").path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto read = reinterpret_cast<void (*)(uint64_t*)>(dlsym(plugin, "stoker_cuda_counters"));
  std::array<uint64_t, 4> values{};
  read(values.data());
  return {values[0], values[1], values[2], values[3]};
}

bool has_cuda_gpu() {
  for (const DeviceInfo& device : list_devices().devices)
    if (device.backend == "cuda" && device.kind == "GPU") return true;
  return false;
}
#define NEEDS_GPU() \
  if (!has_cuda_gpu()) GTEST_SKIP() << "no GPU of CUDA's"

Sequential make_model() {
  using namespace layers;
  // Layers that are not trained by a single kernel.
  Sequential model({Input({.shape = {6, 6, 2}}), Conv2D({.filters = 4, .kernel_size = {3, 3}}),
                    Flatten(), Dense({.units = 3, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return model;
}

Counters used_by_fit(Sequential& model, int64_t batch_size) {
  Array x(DType::float32, {1024, 6, 6, 2}), y(DType::int64, {1024});
  for (int64_t i = 0; i < x.shape().size(); ++i)
    x.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 17) / 17;
  for (int64_t i = 0; i < y.shape().size(); ++i)
    y.mutable_data<int64_t>()[static_cast<size_t>(i)] = i % 3;
  model.fit(x, y, {.batch_size = batch_size, .verbose = 0});  // compiles, captures, fills the slots
  const Counters before = counters();
  model.fit(x, y, {.batch_size = batch_size, .verbose = 0});
  const Counters after = counters();
  return {after.allocations - before.allocations, after.waits - before.waits,
          after.launches - before.launches, after.graph_launches - before.graph_launches};
}

TEST(CudaFit, NeitherAllocatesNorWaitsForAStep) {
  NEEDS_GPU();
  const Device gpu("cuda");
  Sequential few = make_model(), many = make_model();
  const Counters short_fit = used_by_fit(few, 128), long_fit = used_by_fit(many, 4);
  EXPECT_EQ(short_fit.allocations, long_fit.allocations);
  EXPECT_EQ(short_fit.waits, long_fit.waits);
}

TEST(CudaFit, LaunchesSeveralStepsAtOnceEachWithItsOwnInput) {
  NEEDS_GPU();
  const Device gpu("cuda");
  const Variable total(Array(DType::float32, {}), "total");
  exec::TracedStep traced([&](const std::vector<Tensor>& in) {
    total.assign(total.read() + ops::sum(in[0] * in[0]));
    return std::vector<Tensor>{};
  });
  constexpr int64_t steps = 100, width = 5;
  std::vector<float> values(steps * width);
  double expected = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 7);
    expected += values[i] * values[i];
  }
  const device::Buffer buffer(device::current_device("test"), values.size() * sizeof(float));
  buffer.upload(values.data(), buffer.bytes());
  const exec::StepRef step = traced.step_for({{DType::float32, Shape{width}}});
  void* const inputs[] = {buffer.data()};
  const int64_t strides[] = {width * static_cast<int64_t>(sizeof(float))};
  const Counters before = counters();
  step->run_steps({inputs, strides, steps});
  EXPECT_LT(counters().graph_launches - before.graph_launches, 10u);
  EXPECT_EQ(total.array().data<float>()[0], static_cast<float>(expected));
}

TEST(CudaFit, TrainsAsTheCpuDoes) {
  NEEDS_GPU();
  std::vector<std::vector<double>> losses;
  for (const char* name : {"/cpu:0", "cuda"}) {
    const Device scope(name);
    set_random_seed(3);
    Sequential model = make_model();
    Array x(DType::float32, {40, 6, 6, 2}), y(DType::int64, {40});
    for (size_t i = 0; i < 40 * 72; ++i)
      x.mutable_data<float>()[i] = static_cast<float>(i * 37 % 101) / 101;
    for (size_t i = 0; i < 40; ++i) y.mutable_data<int64_t>()[i] = static_cast<int64_t>(i % 3);
    losses.push_back(model.fit(
        x, y, {.batch_size = 8, .epochs = 5, .verbose = 0, .validation_split = 0.2})["val_loss"]);
  }
  for (size_t i = 0; i < losses[0].size(); ++i) EXPECT_NEAR(losses[0][i], losses[1][i], 2e-3);
}

uint64_t waits_of_a_step(Model& model, int64_t rows) {
  const Array x(DType::float32, {rows, 1024}), y(DType::float32, {rows, 2});
  for (int i = 0; i < 3; ++i) model.train_on_batch(x, y);
  const Counters before = counters();
  model.train_on_batch(x, y);
  return counters().waits - before.waits;
}

// 320 KiB, more than a small page-locked piece: sending waits neither for running work nor for the
// copy.
TEST(CudaFit, ALargeBatchIsSentWithoutAWait) {
  NEEDS_GPU();
  const Device gpu("cuda");
  Sequential model({Input({.shape = {1024}}), layers::Dense({.units = 2})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(waits_of_a_step(model, 80), waits_of_a_step(model, 8));
}

}  // namespace
}  // namespace stoker
