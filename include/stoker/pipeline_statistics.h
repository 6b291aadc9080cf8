#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

// Statistics of a stage in one loop over a dataset, or in one fit.
struct StageStatistics {
  std::string name, where;         // "map", "train.cpp:41"
  int64_t elements = 0;            // produced
  double seconds_per_element = 0;  // of its own work, single-threaded
  double waited_seconds = 0;       // for previous stages, if it runs in its own thread
  int64_t held_bytes = 0;          // in its buffer, at present
  bool parallel = false;           // its work is done by several threads
  std::string setting;             // "parallel calls"; empty: none
  int64_t value = 0;               // current value
  bool automatic = false;          // the tuner may change it
};

// A setting changed by the tuner.
struct TunerDecision {
  double seconds = 0;  // since the first element was taken
  std::string stage, setting;
  int64_t from = 0, to = 0;
  std::string why;
};

struct PipelineStatistics {
  std::vector<StageStatistics> stages;  // each after its inputs
  std::vector<TunerDecision> decisions;
  std::vector<std::string> notes;  // automatic changes, and likely mistakes
  int64_t taken = 0;               // elements consumed by the loop or the steps
  double seconds = 0;              // from the first to the latest
  double waited_seconds = 0;       // of it, the consumer waited
  int64_t threads = 0;             // shared by the parallel stages
  std::string verdict;             // the bottleneck and what would help; empty: none
};

// The memory limit, in bytes, for buffers, caches and batches of all datasets of this process.
// Default: 80 % of the machine's memory or the cgroup's limit. Buffers of automatic size use at
// most a quarter of it; a cache that would exceed it is an error.
void set_dataset_memory_limit(int64_t bytes);
int64_t dataset_memory_limit();
int64_t dataset_memory();  // current use

}  // namespace stoker
