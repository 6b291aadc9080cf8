#include "nn/training/logs/epoch_logs.h"

#include "exec/host_values.h"
#include "exec/variable.h"
#include "nn/training/logs/metrics_of_model.h"

namespace stoker::nn {

EpochLogs::EpochLogs(Model& model, const device::Device& device, int64_t beside)
    : model_(model), device_(device) {
  for (const auto& metric : model.metrics())
    for (const Variable& variable : metric->variables()) states_.push_back(variable.state());
  for (const auto& log : trace_results(model).step_logs[Phase::train])
    states_.push_back(log.latest.state());
  for (const auto& state : states_) bytes_ += static_cast<size_t>(state->type.bytes());
  const size_t bytes = std::max<size_t>(capacity * bytes_, 1);
  // An optimisation only: training does not fail if memory is missing.
  if (bytes_ <= most_bytes &&
      static_cast<int64_t>(bytes) + beside <= device.free_memory().largest_piece)
    copies_ = device::Buffer(device_, bytes, "epochs' metrics");
}

void EpochLogs::keep(int64_t epoch, int64_t steps_done) {
  auto* to = static_cast<std::byte*>(copies_.data()) + kept_.size() * bytes_;
  for (const auto& state : states_) {
    const device::Buffer& from = exec::memory_of(*state).move_to(device_);
    device::check(
        device_,
        device_.table().copy(device_.index, to, from.data(), from.bytes(), stoker_device_to_device),
        "copying a metric");
    to += from.bytes();
  }
  kept_.push_back({epoch, steps_done, {}});
}

std::vector<EpochLogs::Epoch> EpochLogs::take() {
  std::vector<std::byte> values(kept_.size() * bytes_);
  if (!values.empty()) copies_.download(values.data(), values.size());
  for (size_t i = 0; i < kept_.size(); ++i) set_logs(kept_[i], values.data() + i * bytes_);
  return std::exchange(kept_, {});
}

void EpochLogs::set_logs(Epoch& epoch, const std::byte* values) {
  const exec::HostValues past(states_, values);
  epoch.logs = read_metrics(model_, Phase::train);
}

}  // namespace stoker::nn
