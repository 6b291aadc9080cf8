#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stoker/shape.h"

// What the stages of a Dataset are told.
namespace stoker {

inline constexpr int64_t AUTOTUNE = -1;
// What cardinality() gives where there is no number of elements.
inline constexpr int64_t INFINITE_CARDINALITY = -1, UNKNOWN_CARDINALITY = -2;

struct MapArgs {
  // Threads that call the function: a number, or AUTOTUNE. 0: AUTOTUNE for a function without
  // captures or a plain one, which no two calls can share anything through but globals; else 1.
  int64_t num_parallel_calls = 0;
  bool deterministic = true;  // false: elements may come in the order in which they are done
  std::optional<uint64_t> seed = {};  // of a function that takes a Random; none: the fit's
};
struct ShuffleArgs {
  std::optional<uint64_t> seed = {};  // none: the fit's
  bool reshuffle_each_iteration = true;
};
struct DatasetBatchArgs {
  bool drop_remainder = false;
};
struct PaddedBatchArgs {
  // Of each array of an element, with `unknown` where the longest of the batch counts; empty: all.
  std::vector<Shape> padded_shapes = {};
  std::vector<double> padding_values = {};  // of each array, or one for all; empty: 0
  bool drop_remainder = false;
};
struct InterleaveArgs {
  int64_t cycle_length = AUTOTUNE;  // AUTOTUNE: as many as there are threads
  int64_t block_length = 1;         // elements in a row of the same dataset
};
struct RebatchArgs {
  bool drop_remainder = false;
};
struct WindowArgs {
  int64_t shift = 0;   // elements from one window's first to the next one's; 0: the window's size
  int64_t stride = 1;  // elements from one element of a window to the next
  bool drop_remainder = false;
};
struct ListFilesArgs {
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  // none: the fit's
};
struct SampleFromArgs {
  std::vector<double> weights = {};    // of the datasets; empty: all the same
  std::optional<uint64_t> seed = {};   // none: the fit's
  bool stop_on_empty_dataset = false;  // false: go on with the others until all are empty
};
struct ChooseFromArgs {
  bool stop_on_empty_dataset = true;  // false: choices of a dataset that is empty are passed over
};
struct SaveArgs {
  std::vector<std::string> class_names = {};   // noted in the file
  std::function<void(int64_t)> progress = {};  // called with the number of elements so far
};

}  // namespace stoker
