#include "faults/fault.h"

namespace stoker::faults {
namespace {

constexpr int64_t count = 4096;  // samples

// The batch size that a run's advice recommends.
int64_t advised_batch(const Account& account) {
  for (const Advice& advice : account.advice)
    if (const std::string key = "fit.batch_size="; advice.apply.starts_with(key))
      return std::stoll(advice.apply.substr(key.size()));
  return 0;
}

Run fit_batches(Model& model, const Samples& data, int64_t batch) {
  return run_fit(model, [&](Model& m, int64_t epochs) {
    m.fit(data.x, data.y, {.batch_size = batch, .epochs = epochs, .verbose = 0});
  });
}

// With a trial of batch sizes, so that there is a prediction to compare with.
struct SmallBatch {
  std::function<Sequential()> make;
  int64_t batch, samples;
  int64_t advised = 64;  // or the advised size

  Run faulty() {
    Sequential model = make();
    const Samples data = faults::samples(samples);
    Run run = fit_batches(model, data, batch);
    measure_headroom(model, data.x, data.y, {.batch_size = batch, .bfloat16 = false});
    run.account = model.account_data();
    if (const int64_t size = advised_batch(run.account)) advised = size;
    return run;
  }
  Run mended() const {
    Sequential model = make();
    Run run = fit_batches(model, faults::samples(samples), advised);
    run.step *= static_cast<double>(batch) / static_cast<double>(advised);
    return run;
  }
};

Fault small_batch(const char* name, std::vector<std::string> causes,
                  std::function<Sequential()> make, int64_t batch, int64_t samples) {
  const auto state = std::make_shared<SmallBatch>(SmallBatch{std::move(make), batch, samples});
  return {.name = name,
          .causes = std::move(causes),
          .faulty = [state] { return state->faulty(); },
          .mended = [state] { return state->mended(); }};
}

// Many narrow layers: no kernel has enough work for the device.
Sequential many_tiny_layers() {
  using namespace layers;
  set_random_seed(1);
  std::vector<Sequential::Item> stack{Input({.shape = {784}}),
                                      Dense({.units = 16, .activation = "relu"})};
  for (int i = 0; i < 40; ++i) stack.push_back(Dense({.units = 16, .activation = "tanh"}));
  stack.push_back(Dense({.units = 10, .activation = "softmax"}));
  Sequential model(stack);
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  return model;
}

Run fit_large(const std::string& policy = "") {
  Sequential model = classifier(4096, policy);
  const Samples data = samples(count);
  return fit_batches(model, data, 2048);
}

Run fit_large_and_probe() {
  Sequential model = classifier(4096);
  const Samples data = samples(count);
  Run run = fit_batches(model, data, 2048);
  measure_headroom(model, data.x, data.y, {.batch_size = 2048, .most = 2048});
  run.account = model.account_data();
  return run;
}

}  // namespace

std::vector<Fault> device_faults() {
  return {small_batch(
              "batch 1", {"small_batch"}, [] { return classifier(256); }, 1, 2048),
          small_batch("tiny kernels", {"small_batch", "launch"}, many_tiny_layers, 32, 16384),
          {.name = "float32 matmul",
           .causes = {"precision"},
           .faulty = fit_large_and_probe,
           .mended = [] { return fit_large("mixed_bfloat16"); },
           .on_cpu = false}};
}

}  // namespace stoker::faults
