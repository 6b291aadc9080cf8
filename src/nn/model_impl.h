#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/array_feeder.h"
#include "exec/traced_step.h"
#include "ledger/ledger.h"
#include "stoker/model.h"

namespace stoker {

// How the inputs of a compiled step are to be read: [indices] x … y … weights ….
struct StepLayout {
  bool gathers = false;
  size_t x = 0, y = 0;
  std::vector<bool> weighted;  // which outputs have a sample weight
  bool operator==(const StepLayout&) const = default;
};

enum class Phase { train, test, predict };

struct Model::Impl {
  LayerRef network;
  std::optional<CompileArgs> settings;           // set by compile
  std::vector<std::shared_ptr<Metric>> metrics;  // loss first; complete after the first trace
  struct OutputMetrics {
    std::shared_ptr<Metric> loss;  // with several outputs, one each
    std::vector<std::shared_ptr<Metric>> plain, weighted;
  };
  std::vector<OutputMetrics> by_output;
  std::vector<std::string> output_names;
  std::vector<int64_t> label_classes;  // by output, of sparse losses; 0: labels are not classes

  std::optional<device::Device> home;  // of the scope it was made in
  std::shared_ptr<device::Buffer> arena = std::make_shared<device::Buffer>();
  struct TracedPhase {
    Phase phase;
    StepLayout layout;
    std::unique_ptr<exec::TracedStep> step;
  };
  std::vector<TracedPhase> steps;
  ledger::Ledger ledger;
  std::string account;
  double samples_per_second = 0;  // of the last fit's steps
  int64_t batch_size = 32;        // of the last fit
  uint64_t shuffle_seed = 0;      // of the next fit; drawn at the first
};

namespace nn {
std::vector<std::string> output_names(const Layer& network, size_t outputs);
}  // namespace nn

}  // namespace stoker
