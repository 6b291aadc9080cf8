#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "distribution/slice.h"
#include "exec/traced_step.h"

namespace stoker {

enum class Phase { train, test, predict };

namespace nn {

// How the inputs of a compiled step are to be read: [indices] x … y … weights ….
struct StepLayout {
  bool gathers = false;
  size_t x = 0, y = 0;
  std::vector<bool> weighted;      // which outputs have a sample weight
  distribution::Slice slice = {};  // of a global batch, where it is divided among ranks
  StepLayout of(const distribution::Slice& rows) const {
    StepLayout layout = *this;
    layout.slice = rows.is_whole() ? distribution::Slice{} : rows;
    return layout;
  }
  bool operator==(const StepLayout&) const = default;
};

// The compiled steps of a model. They never run at the same time, and share one arena.
struct StepCache {
  struct TracedPhase {
    Phase phase;
    StepLayout layout;
    std::unique_ptr<exec::TracedStep> step;
  };
  std::vector<TracedPhase> phases;
  std::shared_ptr<device::Buffer> arena = std::make_shared<device::Buffer>();
  // The home of the weights, if they have one; empty: nobody has looked since they were made.
  std::optional<std::optional<device::Device>> home;

  void clear() {
    phases.clear();
    home.reset();
  }
};

}  // namespace nn
}  // namespace stoker
