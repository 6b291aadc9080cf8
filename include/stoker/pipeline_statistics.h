#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

// What a stage of a dataset has done in one loop over it, or in one fit.
struct StageStatistics {
  std::string name, where;         // "map", "train.cpp:41"
  int64_t elements = 0;            // that it made
  double seconds_per_element = 0;  // of its own work, in one thread
  double waited_seconds = 0;  // for the stages before it, where it waits in a thread of its own
  int64_t held_bytes = 0;     // in its buffer, now
  bool parallel = false;      // several threads do its work
  std::string setting;        // "parallel calls"; empty: it has none
  int64_t value = 0;          // of the setting, now
  bool automatic = false;     // the tuner may change it
};

// A setting that the tuner changed.
struct TunerDecision {
  double seconds = 0;  // since the first element was taken
  std::string stage, setting;
  int64_t from = 0, to = 0;
  std::string why;
};

struct PipelineStatistics {
  std::vector<StageStatistics> stages;  // each behind those that it takes elements from
  std::vector<TunerDecision> decisions;
  std::vector<std::string> notes;  // what is done otherwise than written, and what looks wrong
  int64_t taken = 0;               // elements, by the loop or the steps
  double seconds = 0;              // from the first of them to the latest
  double waited_seconds = 0;       // of these, in which whoever took them had to wait
  int64_t threads = 0;             // which the parallel stages share
  std::string verdict;             // which stage was the limit and what would help; empty: none was
};

// The most memory that the datasets of this process may take in buffers, caches and batches, in
// bytes. At first, 80 % of what the machine has or the control group allows. Buffers of automatic
// size keep within a quarter of it; a cache that would exceed it is an error.
void set_dataset_memory_limit(int64_t bytes);
int64_t dataset_memory_limit();
int64_t dataset_memory();  // what they take now

}  // namespace stoker
