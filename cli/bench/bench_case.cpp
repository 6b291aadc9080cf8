#include "bench_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

#include "bench_gpt2.h"
#include "bench_resnet50.h"
#include "stoker/device.h"
#include "stoker/dtype_policy.h"
#include "stoker/error.h"
#include "stoker/layers.h"
#include "stoker/losses.h"

namespace stoker::cli {
namespace {

constexpr double enough_seconds = 0.7;  // of one timed fit
constexpr int repetitions = 5;

bool is_gpt2(const std::string& name) { return name == "gpt2"; }
bool is_resnet50(const std::string& name) { return name == "resnet50"; }
int64_t classes_of(const std::string& name) { return is_resnet50(name) ? 1000 : 10; }
// Networks that output logits, whose large batches take minutes per step on a CPU.
bool is_large(const std::string& name) { return is_gpt2(name) || is_resnet50(name); }

Shape sample_shape(const std::string& name) {
  if (name == "cnn28") return {28, 28, 1};
  if (name == "cnn128") return {128, 128, 3};
  if (name == "lstm") return {128, 64};
  if (is_resnet50(name)) return {224, 224, 3};
  if (is_gpt2(name)) return {Gpt2Args().places};
  return {784};
}

std::vector<Sequential::Item> layers_of(const std::string& name) {
  using namespace layers;
  const Sequential::Item conv =
      Conv2D({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"});
  const Sequential::Item last = Dense({.units = classes_of(name), .activation = "softmax"});
  const auto wide = [] { return Dense({.units = 1024, .activation = "relu"}); };
  if (name == "mlp128") return {Dense({.units = 128, .activation = "relu"}), last};
  if (name == "mlp1024x3") return {wide(), wide(), wide(), last};
  if (name == "cnn28") return {conv, MaxPooling2D({.pool_size = {2, 2}}), Flatten(), last};
  if (name == "cnn128") return {conv, Flatten(), last};
  if (name == "lstm") return {LSTM({.units = 256}), last};
  if (is_resnet50(name)) return {ResNet50(classes_of(name))};
  if (is_gpt2(name)) return {Gpt2()};
  throw InvalidArgument(fmt::format("unknown case \"{}\".", name),
                        "the cases are mlp128, mlp1024x3, cnn28, cnn128, lstm, resnet50 and gpt2.");
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A line of /proc/self/status, such as VmRSS (current) or VmHWM (peak).
int64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return std::strtoll(&line[key.size() + 1], nullptr, 10) * 1024;
  return 0;
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace

std::string BenchCase::label() const {
  return fmt::format("{} b{}{}{}", name, batch, precision.empty() ? "" : " ", precision);
}

std::vector<BenchCase> bench_cases(bool on_gpu) {
  if (!on_gpu)
    return {{"mlp128", 1, 4096},    {"mlp128", 32, 2048},    {"mlp128", 1024, 64},
            {"mlp1024x3", 32, 256}, {"mlp1024x3", 1024, 16}, {"cnn28", 64, 512},
            {"cnn28", 1024, 32},    {"cnn128", 32, 32},      {"lstm", 64, 8}};
  return {{"mlp128", 1, 16384},
          {"mlp128", 32, 2048},
          {"mlp128", 1024, 64},
          {"mlp1024x3", 32, 2048},
          {"mlp1024x3", 4096, 16},
          {"mlp1024x3", 4096, 16, "mixed_bfloat16"},
          {"cnn28", 64, 1024},
          {"cnn28", 1024, 64},
          {"cnn128", 32, 64},
          {"cnn128", 256, 8, "mixed_bfloat16"},
          {"lstm", 64, 64},
          {"resnet50", 256, 4, "mixed_bfloat16"},
          {"gpt2", 16, 4, "mixed_bfloat16"}};
}

Sequential make_bench_model(const std::string& name, const std::string& precision) {
  set_dtype_policy(precision.empty() ? "float32" : precision);
  std::vector<Sequential::Item> items = layers_of(name);
  const DType dtype = is_gpt2(name) ? DType::int32 : DType::float32;
  items.insert(items.begin(), Input({.shape = sample_shape(name), .dtype = dtype}));
  Sequential model(items, name);
  if (is_large(name))
    model.compile({.optimizer = "adam",
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  else
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  return model;
}

static ValidationData random_tokens(int64_t samples) {
  std::mt19937 generator(1);
  const auto vocabulary = static_cast<uint32_t>(Gpt2Args().vocabulary);
  Array x(DType::int32, sample_shape("gpt2").with_front(samples)), y(DType::int32, x.shape());
  for (Array* tokens : {&x, &y})
    for (int32_t& token : tokens->mutable_data<int32_t>())
      token = static_cast<int32_t>(generator() % vocabulary);
  return {x, y};
}

ValidationData make_bench_data(const std::string& name, int64_t samples) {
  if (is_gpt2(name)) return random_tokens(samples);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  Array x(DType::float32, sample_shape(name).with_front(samples));
  for (float& value : x.mutable_data<float>()) value = normal(generator);
  Array y(DType::int64, {samples});
  for (int64_t& label : y.mutable_data<int64_t>())
    label = static_cast<int64_t>(generator() % classes_of(name));
  return {x, y};
}

BenchResult measure(const BenchCase& bench_case) {
  BenchResult result;
  forget_peak();
  result.base_bytes = status_bytes("VmRSS");
  Sequential model = make_bench_model(bench_case.name, bench_case.precision);
  const auto data = make_bench_data(bench_case.name, bench_case.batch * bench_case.max_steps);
  result.data_bytes = static_cast<int64_t>(data.x[0].bytes() + data.y[0].bytes());
  // Seconds per step, over so many epochs of so many steps.
  const auto timed = [&](int64_t steps, int64_t epochs) {
    const auto begin = std::chrono::steady_clock::now();
    const int64_t samples = steps * bench_case.batch;
    const History history =
        model.fit(data.x[0].rows(0, samples), data.y[0].rows(0, samples),
                  {.batch_size = bench_case.batch, .epochs = epochs, .verbose = 0});
    result.loss = history["loss"].back();
    return seconds_since(begin) / static_cast<double>(steps * epochs);
  };
  timed(std::min<int64_t>(bench_case.max_steps, 8), 1);
  const double guess = timed(bench_case.max_steps, 1);
  const double epoch = guess * static_cast<double>(bench_case.max_steps);
  const auto epochs = std::max<int64_t>(1, static_cast<int64_t>(enough_seconds / epoch));
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) times.push_back(timed(bench_case.max_steps, epochs) * 1e6);
  std::sort(times.begin(), times.end());
  result.us = times[times.size() / 2];
  result.min_us = times.front();
  result.max_us = times.back();
  result.steps = bench_case.max_steps * epochs;
  result.plan_bytes = model.planned_bytes();
  result.peak_bytes = status_bytes("VmHWM");
  return result;
}

// The losses of fit's epochs, each a few steps with the same batches in the same order.
static std::vector<double> loss_curve(const BenchCase& bench_case, const std::string& device) {
  constexpr int64_t steps = 2;
  // A network this deep amplifies rounding errors from step to step, on any device.
  const int64_t epochs = is_resnet50(bench_case.name) ? 2 : 6;
  const Device scope(device);
  set_random_seed(1);
  Sequential model = make_bench_model(bench_case.name, bench_case.precision);
  // Limited by the CPU's speed; batch normalisation needs some samples.
  const int64_t batch = is_gpt2(bench_case.name)       ? 1
                        : is_resnet50(bench_case.name) ? 8
                                                       : bench_case.batch;
  const auto data = make_bench_data(bench_case.name, batch * steps);
  const FitArgs args{.batch_size = batch, .epochs = epochs, .verbose = 0, .shuffle = true};
  return model.fit(data.x[0], data.y[0], args)["loss"];
}

LossCurves compare_with_cpu(const BenchCase& bench_case, const std::string& device) {
  return {loss_curve(bench_case, "/cpu:0"), loss_curve(bench_case, device)};
}

double LossCurves::worst() const {
  double worst = 0;
  for (size_t i = 0; i < cpu.size(); ++i) {
    const double difference = std::abs(device[i] - cpu[i]) / std::max(0.1, cpu[i]);
    worst = std::isfinite(difference) ? std::max(worst, difference) : INFINITY;
  }
  return worst;
}

}  // namespace stoker::cli
