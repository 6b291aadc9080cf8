#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Where a device's time went during one run, as data. The parts add up to the wall time.
namespace stoker {

// One thing to change, and what to expect of it.
struct Advice {
  std::string cause;     // a name that programs can compare: "input", "small_batch", "host_op"
  std::string sentence;  // what was found, with its figures
  std::string remedy;    // what to change
  std::string place;     // file:line of a layer, stage or call, or the key of a recipe; may be ""
  bool observed = true;  // else inferred
  double step_now = 0;   // seconds
  // Of a step after the change, in seconds: likely, and the range that it should lie in. 0:
  // unknown. Where the change is the batch size: of as many samples as a step has now.
  double step_then = 0, step_low = 0, step_high = 0;
  std::vector<std::pair<std::string, std::string>> evidence;  // figure → text
  std::string apply;  // what `--apply` would set ("fit.batch_size=256"); "" where it cannot
};

struct Account {
  struct Part {
    std::string cause;  // "working", "input", "launch", "unexplained", "own cost"
    double seconds = 0;
    bool observed = true;  // else inferred
  };

  std::string run;          // "fit", "evaluate", "predict", "loop"
  std::string device;       // "/gpu:0"
  std::string device_name;  // "NVIDIA H200"
  double wall = 0;          // seconds
  double busy = 0;          // of these, the device worked
  int64_t steps = 0, samples = 0, batch_size = 0;
  double samples_per_second = 0;
  std::vector<Part> parts;     // largest first, "unexplained" and "own cost" last
  std::string verdict;         // one sentence
  std::vector<Advice> advice;  // the first is what to do first
  double step_seconds = 0;     // of the loop: wall time without compiling and validation, by steps
  int64_t memory_used = 0, memory = 0;  // bytes of the device; 0: not known
};

// The first screen: device, where the time of a step goes, what to do first, memory.
std::string to_text(const Account& account);

}  // namespace stoker
