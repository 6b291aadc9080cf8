#pragma once
#include <cstdint>
#include <limits>
#include <string>

namespace stoker {

// "You choose": fit({.batch_size = AUTO, .recompute = AUTO}).
struct Auto {
  constexpr operator int64_t() const { return std::numeric_limits<int64_t>::min(); }  // NOLINT
};
inline constexpr Auto AUTO{};

// Whether the backward pass computes activations again instead of keeping them: less memory, more
// work, the same numbers. AUTO: only if the step does not fit otherwise.
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

// What training takes of a device's memory, in bytes, known before any of it is taken.
struct MemoryForecast {
  int64_t batch_size = 0;
  int64_t samples = 0;     // of the data; 0: not known
  int64_t parameters = 0;  // the network's weights
  int64_t gradients = 0;   // those that exist at the fullest moment of a step
  int64_t optimizer = 0;
  int64_t activations = 0, workspace = 0;  // at that moment
  int64_t inputs = 0;                      // the data, on a device with memory of its own
  int64_t other = 0;                       // metrics, random counters, constants
  int64_t context = 0;                     // what the driver and its libraries take
  bool recomputes = false;

  std::string device;  // "/gpu:0"
  int64_t device_free = 0, device_total = 0;
  int64_t largest_piece = 0;  // of what is free: what was reserved can be in several
  std::string holders;  // other processes that have the device's memory, as far as the driver says
  // What is not held already; a batch of the validation data, as more stays only where there is
  // room.
  int64_t to_allocate = 0;
  int64_t largest_batch = 0;  // that fits; if it is large, to within half a percent. 0: none does

  int64_t total() const {
    return parameters + gradients + optimizer + activations + workspace + inputs + other + context;
  }
  bool fits() const { return to_allocate <= largest_piece; }
  std::string to_string() const;  // a table
};

}  // namespace stoker
