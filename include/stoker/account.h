#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stoker/config.h"

// An account of a device's time during one run. The parts add up to the wall time.
namespace stoker {

// One recommended change and its expected effect.
struct Advice {
  std::string cause;     // a name that programs can compare: "input", "small_batch", "host_op"
  std::string sentence;  // what was found, with its figures
  std::string remedy;    // what to change
  std::string place;     // file:line of a layer, stage or call, or the key of a recipe; may be ""
  bool observed = true;  // else inferred
  double step_now = 0;   // seconds
  // Seconds of a step after the change: expected value and range. 0: unknown. If the change is the
  // batch size: for as many samples as a step has now.
  double step_then = 0, step_low = 0, step_high = 0;
  std::vector<std::pair<std::string, std::string>> evidence;  // figure → text
  std::string apply;  // what `--apply` would set ("fit.batch_size=256"); "" if it cannot
};

struct Account {
  struct Part {
    std::string cause;  // "working", "input", "launch", "unexplained", "own cost"
    double seconds = 0;
    bool observed = true;  // else inferred
  };

  // What a step computes, by the costs of its operations.
  struct Work {
    double flops = 0, bytes = 0;  // of a step; 0: unknown
    // The device's measured peak rates, per second, and the minimum time of a step at these rates
    // (roofline). 0: not measured on this machine yet, which the first profile does.
    double peak_flops = 0, peak_bandwidth = 0, limit = 0;
    std::string
        op;  // the one with the largest part of the limit: "model/dense/matmul"; "": unknown
    double cores = 0, cores_used = 0;  // of the machine, on the average of the run; 0: unknown
  };

  std::string run;          // "fit", "evaluate", "predict", "loop"
  std::string device;       // "/gpu:0"
  std::string device_name;  // "NVIDIA H200"
  double wall = 0;          // seconds
  double busy = 0;          // of it, the device was busy
  int64_t steps = 0, samples = 0, batch_size = 0;
  double samples_per_second = 0;
  std::vector<Part> parts;     // largest first; "unexplained" and "own cost" last
  std::string verdict;         // one sentence
  std::vector<Advice> advice;  // most effective first
  double step_seconds = 0;     // of the loop: wall time without compiling and validation, per step
  Work work;
  int64_t memory_used = 0, memory = 0;  // bytes of the device; 0: unknown
  int64_t largest_batch = 0;            // that fits into memory; 0: not tried (measure_headroom)
};

// As JSON: the member "account" of a run.json.
Config to_config(const Account& account);

// The first screen: device, where a step's time goes, what to change first, memory.
std::string to_text(const Account& account);

}  // namespace stoker
