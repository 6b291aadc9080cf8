#pragma once
#include <cstdint>
#include <limits>
#include <string>

namespace stoker {

// Chosen automatically: fit({.batch_size = AUTO, .recompute = AUTO}).
struct Auto {
  constexpr operator int64_t() const { return std::numeric_limits<int64_t>::min(); }  // NOLINT
};
inline constexpr Auto AUTO{};

// Gradient checkpointing: the backward pass recomputes activations instead of keeping them: less
// memory, more work, the same numbers. AUTO: only if the step does not fit otherwise.
class Recompute {
 public:
  constexpr Recompute(bool always) : how_(always ? 1 : 0) {}  // NOLINT
  constexpr Recompute(Auto) : how_(2) {}                      // NOLINT
  constexpr bool never() const { return how_ == 0; }
  constexpr bool always() const { return how_ == 1; }
  constexpr bool if_needed() const { return how_ == 2; }
  constexpr bool operator==(const Recompute&) const = default;

 private:
  int how_;
};

// The device memory that training needs, in bytes, computed without allocating any.
struct MemoryForecast {
  int64_t batch_size = 0;
  int64_t samples = 0;     // of the data; 0: unknown
  int64_t parameters = 0;  // the network's weights
  int64_t gradients = 0;   // at the peak of a step
  int64_t optimizer = 0;
  int64_t activations = 0, workspace = 0;  // at the peak
  int64_t inputs = 0;                      // the data, on a device with its own memory
  int64_t other = 0;                       // metrics, random counters, constants
  int64_t context = 0;                     // used by the driver and its libraries
  bool recomputes = false;

  std::string device;  // "/gpu:0"
  int64_t device_free = 0, device_total = 0;
  int64_t largest_piece = 0;  // of the free memory, contiguous: a reserved block can be fragmented
  std::string holders;  // other processes that use the device's memory, if the driver reports them
  // Not allocated yet; includes one batch of validation data, as more is kept only if there is
  // enough memory.
  int64_t to_allocate = 0;
  int64_t largest_batch = 0;  // that fits, to half a percent if large. 0: none

  int64_t total() const {
    return parameters + gradients + optimizer + activations + workspace + inputs + other + context;
  }
  bool fits() const { return to_allocate <= largest_piece; }
  std::string to_string() const;  // a table
};

}  // namespace stoker
