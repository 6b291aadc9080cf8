#pragma once
#include "observe/sample.h"
#include "stoker/why.h"

namespace stoker::observe {

// The figures of a recording, and the verdicts of the rules.
WhyAnswer explain(const Recording& recording);

// The samples from the first use of a GPU on: a program's start-up says nothing about its training.
Recording without_start(const Recording& recording);

// Simulated recordings from a few figures, for the demonstration and for tests.
struct Scene {
  std::string command = "python train.py";
  double main_busy = 0.5;
  int workers = 0;
  double worker_busy = 0, storage_wait = 0;
  double cores = 16, gpu_busy = 0.5, sm_active = 0.4, tensor_active = 0.1;
  double pcie_in = 2e8, gpu_memory = 0.4;
};
Recording recording_of(const Scene& scene);

}  // namespace stoker::observe
