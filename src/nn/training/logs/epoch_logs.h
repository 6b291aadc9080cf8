#pragma once
#include "nn/model_impl.h"

namespace stoker::nn {

// Metrics of epochs whose end nobody observes: their states are copied on the device and read many
// epochs later, so that the device need not wait in between.
class EpochLogs {
 public:
  // Once the metrics are known. `beside`: bytes of device memory to leave for others.
  EpochLogs(Model& model, const device::Device& device, int64_t beside);

  bool has_room() const { return copies_.defined(); }
  void keep(int64_t epoch, int64_t steps_done);
  bool full() const { return kept_.size() == capacity; }
  bool empty() const { return kept_.empty(); }

  struct Epoch {
    int64_t epoch, steps_done;
    Logs logs;
  };
  std::vector<Epoch> take();  // those kept since the last call; waits for the device

 private:
  static constexpr size_t capacity = 64, most_bytes = 16384;
  void set_logs(Epoch& epoch, const std::byte* values);

  Model& model_;
  device::Device device_;
  std::vector<std::shared_ptr<graph::State>> states_;
  size_t bytes_ = 0;  // of all metric states at the end of one epoch
  device::Buffer copies_;
  std::vector<Epoch> kept_;  // without logs yet
};

}  // namespace stoker::nn
