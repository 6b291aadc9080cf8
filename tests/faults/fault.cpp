#include "faults/fault.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace stoker::faults {
namespace {

constexpr double seconds_of_a_run = 1.2;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void spin(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (seconds_since(begin) < seconds) {
  }
}

Sequential classifier(int64_t units, const std::string& policy) {
  using namespace layers;
  const DTypePolicy before = dtype_policy();
  if (!policy.empty()) set_dtype_policy(policy);
  set_random_seed(1);
  Sequential model({Input({.shape = {784}}), Dense({.units = units, .activation = "relu"}),
                    Dense({.units = units, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  set_dtype_policy(before);
  return model;
}

Samples samples(int64_t count, int64_t features) {
  Array x(DType::float32, {count, features}), y(DType::int32, {count});
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 2654435761U) % 1000) * 1e-3F;
  auto labels = y.mutable_data<int32_t>();
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i % 10);
  return {x, y};
}

void try_fed(Model& model, const Array& x, const Array& y, Run& run) {
  measure_headroom(
      model, x, y,
      {.batch_size = x.length(), .most = 1, .seconds_per_trial = 0.1, .bfloat16 = false});
  run.account = model.account_data();
}

Run run_fit(Model& model, const std::function<void(Model&, int64_t epochs)>& fit) {
  const auto begin = std::chrono::steady_clock::now();
  fit(model, 1);
  const double first = std::max(seconds_since(begin), 1e-3);
  const auto again = std::chrono::steady_clock::now();
  fit(model, 1);
  const double one = std::max(seconds_since(again), 1e-4);
  fit(model, static_cast<int64_t>(std::clamp(seconds_of_a_run / std::min(one, first), 2.0, 1e4)));
  const Account account = model.account_data();
  return {account.step_seconds, account};
}

}  // namespace stoker::faults
