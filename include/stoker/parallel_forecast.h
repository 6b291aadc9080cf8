#pragma once
#include <cstdint>
#include <string>

#include "stoker/model.h"

namespace stoker::distribution {

struct ForecastArgs {
  int processes = 2, machines = 1;
  int64_t batch_size = 32;  // of all processes
  double bandwidth = 0;     // bytes a second between two processes; 0: what is usual there
};

// What training on several processes would bring: the steps' time is measured here, on one process,
// with a whole batch and with one process's part of it; the network's is computed.
struct ParallelForecast {
  ForecastArgs args;          // with the bandwidth that was assumed
  std::string device;         // where it was measured
  double latency = 0;         // seconds of one message, assumed
  int64_t reduced_bytes = 0;  // by every process in every step: the gradients
  double one = 0, part = 0;   // seconds of a step: of the whole batch, of one process's rows
  double communication = 0;   // seconds of a step, as if nothing were computed meanwhile
  double together() const { return part + communication; }
  double speedup() const { return one / together(); }
  double efficiency() const { return speedup() / args.processes; }
  std::string to_string() const;
};

// Trains the model for some steps on made-up samples: it is of no use afterwards. Throws
// InvalidArgument if it is not compiled or does not say what it takes.
ParallelForecast forecast(Model& model, const ForecastArgs& args);

}  // namespace stoker::distribution
