#include "faults/fault.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stoker::faults {
namespace {

constexpr double seconds_of_a_run = 1.5;

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

void try_fed(Model& model, const Samples& batch, Run& run) {
  measure_headroom(model, batch.x, batch.y,
                   {.batch_size = batch.x.length(), .most = 1, .bfloat16 = false});
  run.account = model.account_data();
}

void try_fed(Model& model, const Dataset& batches, Run& run) {
  measure_headroom(model, batches, {.most = 1, .bfloat16 = false});
  run.account = model.account_data();
}

// A short fit includes the time of its start and end: repeats with more epochs until it is long
// enough.
Run run_fit(Model& model, const std::function<void(Model&, int64_t epochs)>& fit) {
  fit(model, 1);
  for (double epochs = 1;;) {
    const auto begin = std::chrono::steady_clock::now();
    fit(model, static_cast<int64_t>(epochs));
    const double took = std::max(seconds_since(begin), 1e-4);
    if (took > 0.8 * seconds_of_a_run) break;
    epochs *= std::min(seconds_of_a_run / took, 10.0);
    epochs = std::ceil(epochs + 1);
  }
  const Account account = model.account_data();
  return {account.step_seconds, account};
}

}  // namespace stoker::faults
