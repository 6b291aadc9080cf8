#pragma once
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "stoker/headroom.h"
#include "stoker/stoker.h"

// A run that is well fed except for one fault, and the same run after following the first advice.
namespace stoker::faults {

// What one run came to: `step` is seconds of the wall clock for as many samples as a step had in
// the faulty run.
struct Run {
  double step = 0;
  Account account;
};

struct Fault {
  std::string name;                 // as the table has it
  std::vector<std::string> causes;  // the fault is found if the first cause is one of these
  std::function<Run()> faulty, mended;
  bool on_cpu = true, on_gpu = true;
  std::string instead = "";  // if the program prevents the fault: how
};

struct Result {
  std::string fault, device, named, verdict;
  double predicted_gain = 0, measured_gain = 0;
  bool found = false;
  std::string note;
  Config::List runs;  // the accounts of the runs with the fault and without it
};

inline bool on_gpu = false;  // which device the runs are on

// The faults, by what they break.
std::vector<Fault> input_faults();
std::vector<Fault> loop_faults();
std::vector<Fault> device_faults();
std::vector<Fault> machine_faults();

struct Samples {
  Array x, y;
};
Samples samples(int64_t count, int64_t features = 784);

// Measures the step with batches that are already on the device, so that the account knows its time
// without waiting.
void try_fed(Model& model, const Samples& batch, Run& run);
void try_fed(Model& model, const Dataset& batches, Run& run);

// Fits for more than a second, after a first fit in which everything is compiled.
Run run_fit(Model& model, const std::function<void(Model&, int64_t epochs)>& fit);

// 784 → units → units → 10, compiled.
Sequential classifier(int64_t units, const std::string& policy = "");

void spin(double seconds);  // keeps a core busy

}  // namespace stoker::faults
