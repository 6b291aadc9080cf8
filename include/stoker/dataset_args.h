#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stoker/element.h"
#include "stoker/error.h"

// Arguments of the stages of a Dataset.
namespace stoker {

inline constexpr int64_t AUTOTUNE = -1;
// Results of cardinality() if there is no number of elements.
inline constexpr int64_t INFINITE_CARDINALITY = -1, UNKNOWN_CARDINALITY = -2;

struct MapArgs {
  // Threads that call the function: a number, or AUTOTUNE. 0: AUTOTUNE for a function pointer or a
  // lambda without captures, whose calls can share state only through globals; else 1.
  int64_t num_parallel_calls = 0;
  // false: elements may be returned in the order of completion. With several ranks they are not.
  bool deterministic = true;
  std::optional<uint64_t> seed = {};  // for a function that takes a Random; none: the fit's
};
struct ShuffleArgs {
  std::optional<uint64_t> seed = {};  // none: the fit's
  bool reshuffle_each_iteration = true;
};
struct DatasetBatchArgs {
  bool drop_remainder = false;
  // Batches made concurrently: a number, or AUTOTUNE. 0: AUTOTUNE.
  int64_t num_parallel_calls = 0;
  bool deterministic = true;  // the order of batches is always kept
};
// An int64_t is exact; it must be a value of the array's type, as a double must.
using PaddingValue = std::variant<int64_t, double, std::string>;
struct PaddedBatchArgs {
  // The shape of each array, with `unknown` for the maximum of the batch; empty: all unknown.
  std::vector<Shape> padded_shapes = {};
  // One per array, or one for all arrays of its kind; the others, or all if it is empty, are padded
  // with 0 or "".
  std::vector<PaddingValue> padding_values = {};
  bool drop_remainder = false;
};
struct InterleaveArgs {
  int64_t cycle_length = AUTOTUNE;  // AUTOTUNE: 16
  int64_t block_length = 1;         // consecutive elements from one dataset
  // Threads that read the datasets of the cycle ahead: a number, or AUTOTUNE for one each, at most
  // 64. 0: none, elements are read when they are needed.
  int64_t num_parallel_calls = 0;
  // false: datasets whose elements are not ready are skipped. With several ranks they are not.
  bool deterministic = true;
};
struct RebatchArgs {
  bool drop_remainder = false;
};
struct WindowArgs {
  int64_t shift = 0;   // distance between the starts of consecutive windows; 0: the window's size
  int64_t stride = 1;  // distance between the elements of a window
  bool drop_remainder = false;
};
struct ListFilesArgs {
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  // none: the fit's
};
struct BucketArgs {
  std::vector<Shape> padded_shapes = {};          // as in PaddedBatchArgs
  std::vector<PaddingValue> padding_values = {};  // as in PaddedBatchArgs
  bool pad_to_bucket_boundary = false;            // unknown dimensions: the bucket's largest length
  bool no_padding = false;                        // all elements of a batch have one shape
  bool drop_remainder = false;
};
struct RandomDatasetArgs {
  std::optional<uint64_t> seed = {};  // none: the fit's
  bool rerandomize_each_iteration = false;
};
struct RejectionResampleArgs {
  std::vector<double> initial_dist = {};  // of the classes before; empty: estimated
  std::optional<uint64_t> seed = {};      // none: the fit's
};
struct IgnoreErrorsArgs {
  // How many elements of a pass may fail; the next error is thrown.
  int64_t max_errors = 100;
  // Replaces an element that failed; same type and shape as the others. None: the element is
  // skipped.
  std::optional<Element> replacement = {};
  // Called with the index and the error of each failed element, in order; with a replacement in any
  // order, but never by two threads at once. None: prints a line.
  std::function<void(int64_t number, const Error& error)> report = {};
};
struct SampleFromArgs {
  std::vector<double> weights = {};    // of the datasets; empty: equal
  std::optional<uint64_t> seed = {};   // none: the fit's
  bool stop_on_empty_dataset = false;  // false: continue with the others until all are empty
};
struct ChooseFromArgs {
  bool stop_on_empty_dataset = true;  // false: skip choices of an empty dataset
};
struct SaveArgs {
  std::vector<std::string> class_names = {};   // stored in the file
  std::function<void(int64_t)> progress = {};  // called with the number of elements so far
};

}  // namespace stoker
