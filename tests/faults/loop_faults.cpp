#include <cstdio>
#include <filesystem>

#include "faults/fault.h"

namespace stoker::faults {
namespace {

constexpr int64_t count = 2048, batch = 64, units = 256;

Run fit_with(Sequential model, const Callbacks& callbacks, int64_t size = batch) {
  const Samples data = samples(count);
  Run run = run_fit(model, [&](Model& m, int64_t epochs) {
    m.fit(data.x, data.y,
          {.batch_size = size, .epochs = epochs, .verbose = 0, .callbacks = callbacks});
  });
  try_fed(model, {data.x.rows(0, size), data.y.rows(0, size)}, run);
  return run;
}

// Reads the metrics of every batch and keeps them: a loss curve by batch.
struct BatchLosses : Callback {
  std::vector<double> losses;
  void on_train_batch_end(int64_t, const Logs& logs) override { losses.push_back(logs["loss"]); }
};

// Reading a loss takes about as long as a step of a small network, and a negligible part of a large
// one's.
Run fit_small(const Callbacks& callbacks) {
  return fit_with(classifier(on_gpu ? 32 : 8), callbacks, on_gpu ? batch : 2);
}

// Writes a line to a file for every batch, and waits until it is on disk.
struct LogEachStep : Callback {
  explicit LogEachStep(const std::string& path) : file(std::fopen(path.c_str(), "w")) {}
  ~LogEachStep() override { std::fclose(file); }
  void on_train_batch_end(int64_t number, const Logs& logs) override {
    for (int i = 0; i < 20; ++i) std::fprintf(file, "%ld %d %f\n", long(number), i, logs["loss"]);
    std::fflush(file);
    spin(1e-3);  // a slow console or file system
  }
  std::FILE* file;
};

std::string scratch(const char* name) {
  const auto folder = std::filesystem::temp_directory_path() / "stoker_faults";
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

// A layer that computes on the host, as the example host_function does.
struct OnTheHost : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override {
    static const HostFunction twice([](const std::vector<Array>& in) -> std::vector<Array> {
      Array out = in[0].clone();
      for (float& value : out.mutable_data<float>()) value *= 2;
      spin(2e-3);
      return {out};
    });
    return ops::host_call(x, twice);
  }
};
struct OnTheDevice : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override { return x * 2.0F; }
};
// A trial trains a copy of the model.
const RegisterSerializable<OnTheHost> on_the_host{"faults", "OnTheHost"};
const RegisterSerializable<OnTheDevice> on_the_device{"faults", "OnTheDevice"};

template <class Doubling>
Sequential with_doubling() {
  using namespace layers;
  set_random_seed(1);
  Sequential model({Input({.shape = {784}}), make_layer<Doubling>(),
                    Dense({.units = units, .activation = "relu"}),
                    Dense({.units = units, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return model;
}

// A user-defined loop over sequences, each batch padded to its longest one, or all to one length.
Run loop_over_lengths(bool padded) {
  using namespace layers;
  set_random_seed(1);
  const Tensor in = Input({.shape = {-1, 32}});
  const Tensor pooled = GlobalAveragePooling1D()(Dense({.units = 128, .activation = "relu"})(in));
  Model model({.inputs = {in}, .outputs = {Dense({.units = 10, .activation = "softmax"})(pooled)}});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto sequences = [](int64_t length) {
    const Samples data = samples(16, length * 32);
    return Samples{data.x.reshape({16, length, 32}), data.y};
  };
  std::vector<Samples> all;  // made before the loop, which does nothing else
  for (int64_t step = 0; step < 120; ++step) all.push_back(sequences(padded ? 150 : 30 + step));
  AccountScope scope;
  for (const Samples& data : all) model.train_on_batch(data.x, data.y);
  scope.stop();
  const Samples longest = sequences(150);
  const Headroom tried = measure_headroom(model, longest.x, longest.y,
                                          {.batch_size = 16, .most = 1, .bfloat16 = false});
  Run run{.account = scope.account(tried)};
  run.step = run.account.step_seconds;
  return run;
}

// Work of the program itself after every step.
Run loop_with(double seconds) {
  Sequential model = classifier(units);
  const Samples data = samples(batch);
  model.train_on_batch(data.x, data.y);  // compiles
  const AccountScope scope;
  for (int64_t step = 0; step < 500; ++step) {
    model.train_on_batch(data.x, data.y);
    if (seconds > 0) spin(seconds);
  }
  Run run{.account = scope.account()};
  run.step = run.account.step_seconds;
  return run;
}

}  // namespace

std::vector<Fault> loop_faults() {
  const auto plain = [] { return fit_with(classifier(units), {}); };
  return {{.name = "host op",
           .causes = {"host_op"},
           .faulty = [] { return fit_with(with_doubling<OnTheHost>(), {}); },
           .mended = [] { return fit_with(with_doubling<OnTheDevice>(), {}); }},
          {.name = "metrics each batch",
           .causes = {"metrics", "callback"},
           .faulty = [] { return fit_small({std::make_shared<BatchLosses>()}); },
           .mended = [] { return fit_small({}); }},
          {.name = "logging each step",
           .causes = {"callback"},
           .faulty =
               [] {
                 return fit_with(classifier(units),
                                 {std::make_shared<LogEachStep>(scratch("steps.log"))});
               },
           .mended = plain},
          {.name = "checkpoint each step",
           .causes = {"checkpoint"},
           .faulty =
               [] {
                 return fit_with(
                     classifier(units),
                     {callbacks::ModelCheckpoint({.filepath = scratch("last.safetensors"),
                                                  .save_weights_only = true,
                                                  .save_freq = 1})});
               },
           .mended = plain},
          {.name = "shape changes each step",
           .causes = {"recompile"},
           .faulty = [] { return loop_over_lengths(false); },
           .mended = [] { return loop_over_lengths(true); }},
          {.name = "own code between steps",
           .causes = {"outside"},
           .faulty = [] { return loop_with(2e-3); },
           .mended = [] { return loop_with(0); }}};
}

}  // namespace stoker::faults
