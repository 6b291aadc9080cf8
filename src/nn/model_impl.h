#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/array_feeder.h"
#include "exec/traced_step.h"
#include "ledger/ledger.h"
#include "nn/callbacks/callback_states.h"
#include "nn/output_settings.h"
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

// Where a fit stands between two steps; with all states, what it takes to go on exactly there.
struct FitPosition {
  uint64_t seed = 0;             // of the orders
  int64_t epoch = 0, batch = 0;  // the next ones
  int64_t pass = 0, sample = 0;  // over and in the data, which epochs of so many steps cut anew
  History history;               // of the epochs that are done
  nn::CallbackStates callbacks;  // what they remember
};

struct Model::Impl {
  LayerRef network;
  std::optional<CompileArgs> settings;           // set by compile
  std::vector<nn::OutputSettings> outputs;       // the same by output; known with the first trace
  OptimizerRef given_optimizer;                  // before compile wrapped it
  Config compile_config = Config::map();         // what compile was given, in Keras's form
  std::vector<std::shared_ptr<Metric>> metrics;  // loss first; complete after the first trace
  std::vector<std::string> metric_names;         // theirs in logs
  struct StepLog {
    std::string name;
    Variable latest;
  };
  std::map<Phase, std::vector<StepLog>> step_logs;  // what steps returned
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
  double samples_per_second = 0;     // of the last fit's steps
  int64_t batch_size = 32;           // of the last fit
  uint64_t shuffle_seed = 0;         // of the next fit; drawn at the first
  FitPosition position;              // of the running fit, when a callback is called …
  const History* history = nullptr;  // … its history, which position does not copy, …
  const std::vector<CallbackRef>* callbacks = nullptr;  // … and its callbacks
  std::optional<FitPosition> resume_at;                 // a callback sets this in on_train_begin
};

namespace nn {
// Of a description's tensors: the layers, or Inputs, they come from.
std::vector<std::string> node_names(const std::vector<Tensor>& tensors);
std::vector<std::string> output_names(const Layer& network);  // as far as its description tells
std::vector<std::string> output_names(const Layer& network, size_t outputs);
}  // namespace nn

}  // namespace stoker
