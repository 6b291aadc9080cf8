#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "distribution/slice.h"
#include "exec/traced_step.h"

namespace stoker {

enum class Phase { train, test, predict };

namespace nn {

// The order of a compiled step's inputs: [indices] x … y … weights ….
struct StepLayout {
  bool gathers = false;
  size_t x = 0, y = 0;
  std::vector<bool> weighted;      // which outputs have a sample weight
  distribution::Slice slice = {};  // of a global batch that is divided among ranks
  StepLayout of(const distribution::Slice& rows) const {
    StepLayout layout = *this;
    layout.slice = rows.is_whole() ? distribution::Slice{} : rows;
    return layout;
  }
  bool operator==(const StepLayout&) const = default;
};

// The compiled steps of a model. They never run concurrently, and share one arena.
struct StepCache {
  struct TracedPhase {
    Phase phase;
    StepLayout layout;
    std::unique_ptr<exec::TracedStep> step;
  };
  std::vector<TracedPhase> phases;
  std::shared_ptr<device::Buffer> arena = std::make_shared<device::Buffer>();
  // The device of the weights, if they have one; empty: not looked up since they were created.
  std::optional<std::optional<device::Device>> home;

  bool started_together = false;  // have all ranks had the same states since compile?
  int64_t trained_on_batch = 0;   // calls of train_on_batch since then, for messages

  // Steps without a reference, and the arena, unless a step has it.
  void release_unused() {
    for (const TracedPhase& phase : phases) phase.step->drop_unused();
    *arena = {};
  }
  void clear() {
    phases.clear();
    started_together = false;
    trained_on_batch = 0;
    home.reset();
  }
};

}  // namespace nn
}  // namespace stoker
