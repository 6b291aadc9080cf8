#pragma once
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "stoker/headroom.h"
#include "stoker/stoker.h"

// A run that is well fed but for one fault, and the same run after the first advice was followed.
namespace stoker::faults {

// What one run came to: `step` is seconds of the wall clock for as many samples as a step had in
// the faulty run.
struct Run {
  double step = 0;
  Account account;
};

struct Fault {
  std::string name;                 // as the table has it
  std::vector<std::string> causes;  // which of them is named first counts as found
  std::function<Run()> faulty, mended;
  bool on_cpu = true, on_gpu = true;
  std::string instead = "";  // where the program does not let the fault happen: what it does
};

struct Result {
  std::string fault, device, named, verdict;
  double predicted_gain = 0, measured_gain = 0;
  bool found = false;
  std::string note;
  Config::List runs;  // the accounts of the faulty and the mended ones
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

// Tries the step from batches that are there already, so that the account knows how long it takes
// when it has all it needs.
void try_fed(Model& model, const Samples& batch, Run& run);
void try_fed(Model& model, const Dataset& batches, Run& run);

// Fits for more than a second, after a first fit in which everything is compiled.
Run run_fit(Model& model, const std::function<void(Model&, int64_t epochs)>& fit);

// 784 → units → units → 10, compiled.
Sequential classifier(int64_t units, const std::string& policy = "");

void spin(double seconds);  // keeps a core busy

}  // namespace stoker::faults
