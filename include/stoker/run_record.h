#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stoker/account.h"
#include "stoker/config.h"
#include "stoker/pipeline_statistics.h"
#include "stoker/profile_steps.h"

// The complete record of a training run: the data of the report page and of run.json.
// docs/report.md describes the file. Times are in seconds, sizes in bytes, rates per second.
namespace stoker {

using TextPairs = std::vector<std::pair<std::string, std::string>>;  // name → text, in order

struct RunRecord {
  static constexpr int64_t version = 3;  // of the file

  struct Curve {
    std::string name;             // "loss", "val_accuracy"
    std::vector<int64_t> epochs;  // from 1 on
    std::vector<double> values;   // NaN and infinity become NaN
  };
  // The cost of a step's calls for one op or layer.
  struct Cost {
    std::string name;             // of the op, or the layer's path
    int64_t calls = 0;            // per step
    double flops = 0, bytes = 0;  // per step, by the ops' rules
    double seconds = 0;           // per step, measured; 0: not measured
    double limit = 0;             // minimum seconds by the device's ceilings; 0: unknown
    std::string bound;            // the limiting one: "compute" or "bandwidth"
  };
  struct Layer {
    Cost cost;
    std::vector<Cost> ops;
  };
  // The device's measured peak rate.
  struct Ceiling {
    std::string name;  // "float32 matmul", "memory"
    double rate = 0;   // FLOP/s or bytes/s
    std::string unit;  // "FLOP/s", "B/s"
  };
  struct Profile {
    ProfileSteps asked;
    int64_t steps = 0;        // that were profiled
    double step_seconds = 0;  // wall time of one of these
    double call_seconds = 0;  // of it, in calls
    std::string note;         // why something is missing; "": nothing is
    std::vector<Ceiling> ceilings;
  };
  struct Span {
    std::string lane;  // "host", "device", an input thread
    std::string name;  // "input", "sequential/dense/matmul"
    double begin = 0, end = 0;
  };
  // A few steps: the longest profiled ones, or else the last ones, of the host only.
  struct Timeline {
    int64_t first_step = 0, steps = 0;
    std::vector<Span> spans;
    int64_t left_out = 0;  // spans omitted for lack of space
  };
  struct MemoryUse {
    std::string name;            // "parameters", "activations" …
    std::vector<int64_t> bytes;  // at each place
  };
  // Device memory in use during a step.
  struct Memory {
    std::vector<std::string> places;  // calls in order: the layer's path and the op
    std::vector<MemoryUse> uses;
    int64_t peak = 0, device_total = 0;
  };
  struct ModelLayer {
    std::string name, kind;  // "dense", "Dense"
    int64_t parameters = 0;
  };

  std::string name;     // of the recipe or the model
  std::string started;  // "2026-11-18 08:43:37 UTC"
  std::string state;    // "running", "finished", "interrupted", "not run"
  Account account;
  std::string account_line;  // the account in one line
  std::vector<Curve> curves;
  Profile profile;
  std::vector<Layer> layers;
  Timeline timeline;
  Memory memory;
  PipelineStatistics input;
  std::vector<ModelLayer> model;
  TextPairs settings;     // "fit.batch_size" → "32"
  TextPairs environment;  // "device" → "NVIDIA H200"
};

// run.json. Written atomically, with several processes by the first one only. Reading reports where
// a file is damaged, and refuses other versions. A run is a folder with a run.json, such a file, or
// a page made of one.
void save_run(const std::string& path, const RunRecord& run);
RunRecord load_run(const std::string& path);
Config to_config(const RunRecord& run);
RunRecord run_from_config(const Config& config, const std::string& file);

// A self-contained HTML file.
std::string to_html(const RunRecord& run);
void save_page(const std::string& path, const RunRecord& run);
// A trace for chrome://tracing and Perfetto.
std::string to_trace(const RunRecord& run);
void save_trace(const std::string& path, const RunRecord& run);

// The differences between two runs.
struct RunComparison {
  struct Difference {
    std::string name, a, b;  // "" on one side: only in the other
  };
  struct Figure {
    std::string name, unit;  // "step", "s"
    double a = 0, b = 0;     // NaN: unknown
  };
  std::string name_a, name_b;
  std::vector<Difference> settings, environment, model;
  std::vector<Figure> figures, layers;  // layers: seconds per step, if both runs were profiled
  std::string verdict;                  // one sentence
  std::string to_string() const;
  Config to_config() const;
};
RunComparison compare_runs(const RunRecord& a, const RunRecord& b);

}  // namespace stoker
