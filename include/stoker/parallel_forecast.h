#pragma once
#include <cstdint>
#include <string>

#include "stoker/model.h"

namespace stoker::distribution {

struct ForecastArgs {
  int processes = 2, machines = 1;
  int64_t batch_size = 32;  // of all processes together
  double bandwidth = 0;     // bytes per second between two processes; 0: a typical value
};

// Predicts the speed-up by several processes: step times are measured here on one process, with a
// whole batch and with one process's part of it; communication is computed.
struct ParallelForecast {
  ForecastArgs args;          // with the bandwidth that was assumed
  std::string device;         // where it was measured
  double latency = 0;         // assumed, seconds per message
  int64_t reduced_bytes = 0;  // by every process in every step: the gradients
  double one = 0, part = 0;   // seconds per step: whole batch, one process's rows
  double part_alone = 0;      // the same rows without sums between gradients and optimizer
  double communication = 0;   // seconds per step, without overlap with computation
  double together() const { return part + communication; }
  double speedup() const { return one / together(); }
  double efficiency() const { return speedup() / args.processes; }
  std::string to_string() const;
};

// Trains the model for some steps on made-up samples: do not use it afterwards. Throws
// InvalidArgument if it is not compiled or has no known input shape.
ParallelForecast forecast(Model& model, const ForecastArgs& args);

}  // namespace stoker::distribution
