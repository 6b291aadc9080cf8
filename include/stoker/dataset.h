#pragma once
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <source_location>

#include "stoker/dataset_args.h"
#include "stoker/dataset_functions.h"
#include "stoker/explained_batch.h"
#include "stoker/pipeline_statistics.h"

namespace stoker {

namespace data {
class Cursor;
class Stage;
using StageRef = std::shared_ptr<const Stage>;
}  // namespace data

class Windows;

// A lazy sequence of elements: a source followed by stages, with tf.data's names and semantics. A
// dataset is a description; copies are cheap and share it.
class Dataset {
 public:
  using From = std::source_location;

  // Row i of every array is element i.
  static Dataset from_tensor_slices(const Element& arrays, const From& from = From::current());
  static Dataset from_tensors(const Element& element, const From& from = From::current());
  // 0 … stop-1, as int64.
  static Dataset range(int64_t stop, const From& from = From::current());
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1,
                       const From& from = From::current());
  // `begin` is called for every pass over the data and returns a function that returns one element
  // after the other, then nothing. Elements that do not match the signature are refused.
  using Generator = std::function<std::optional<Element>()>;
  static Dataset from_generator(std::function<Generator()> begin, const ElementSpec& signature,
                                const From& from = From::current());
  // Loads a file written by save(). Elements are read by index, each with its checksum.
  static Dataset load(const std::string& path, const From& from = From::current());
  static Dataset zip(const std::vector<Dataset>& datasets, const From& from = From::current());
  // Each element comes from a randomly chosen dataset.
  static Dataset sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleFromArgs& args = {},
                                      const From& from = From::current());
  // … or from the dataset with the index given by the next element of `choices`.
  static Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                                      const ChooseFromArgs& args = {},
                                      const From& from = From::current());
  // The names of files that match one of the patterns (*, ?, [a-z]), each once.
  static Dataset list_files(const std::vector<std::string>& patterns,
                            const ListFilesArgs& args = {}, const From& from = From::current());
  static Dataset list_files(const std::string& pattern, const ListFilesArgs& args = {},
                            const From& from = From::current()) {
    return list_files(std::vector{pattern}, args, from);
  }

  // The function takes the arrays of an element, one parameter each, or an Element, and returns an
  // array, a pair or tuple of arrays, or an Element. With Tensor instead of Array it consists of
  // ops. An optional last parameter `Random&` provides random numbers that belong to the element.
  template <class F>
  Dataset map(F function, const MapArgs& args = {}, const From& from = From::current()) const;
  // Keeps the elements for which the function returns true.
  template <class F>
  Dataset filter(F function, const From& from = From::current()) const;
  // The function maps an element to a Dataset; their elements are concatenated.
  template <class F>
  Dataset flat_map(F function, const From& from = From::current()) const;
  // … or interleaved: `block_length` elements from each of `cycle_length` datasets in turn.
  template <class F>
  Dataset interleave(F function, const InterleaveArgs& args = {},
                     const From& from = From::current()) const;

  // If elements can be read by index, the whole data is shuffled, whatever the buffer size.
  Dataset shuffle(int64_t buffer_size, const ShuffleArgs& args = {},
                  const From& from = From::current()) const;
  Dataset batch(int64_t batch_size, const DatasetBatchArgs& args = {},
                const From& from = From::current()) const;
  Dataset padded_batch(int64_t batch_size, const PaddedBatchArgs& args = {},
                       const From& from = From::current()) const;
  Dataset unbatch(const From& from = From::current()) const;
  Dataset rebatch(int64_t batch_size, const RebatchArgs& args = {},
                  const From& from = From::current()) const;
  // Makes elements ahead of time in a background thread.
  Dataset prefetch(int64_t buffer_size = AUTOTUNE, const From& from = From::current()) const;
  Dataset cache(const From& from = From::current()) const;  // in memory
  // In a file, which is written before the first element is returned, and reused by later runs of
  // the same pipeline. A function is identified by its place in the source: remove the file if only
  // the function's code has changed.
  Dataset cache(const std::string& filename, const From& from = From::current()) const;
  // In the memory of the GPU that fit uses: from the second epoch on, nothing is computed or
  // copied. It must be the last stage except for prefetch, and stores batches as they are. Falls
  // back to host memory if the model runs on the CPU, or if the batches need more than half of the
  // GPU's free memory.
  Dataset cache_on_device(const From& from = From::current()) const;
  Dataset repeat(int64_t count = -1, const From& from = From::current()) const;  // -1: infinitely
  Dataset take(int64_t count, const From& from = From::current()) const;         // -1: all
  Dataset skip(int64_t count, const From& from = From::current()) const;         // -1: all
  Dataset shard(int64_t num_shards, int64_t index, const From& from = From::current()) const;
  Dataset concatenate(const Dataset& other, const From& from = From::current()) const;
  // Sets the number of elements if it is not known otherwise. It is an error if there are more or
  // fewer.
  Dataset assert_cardinality(int64_t expected, const From& from = From::current()) const;
  Dataset enumerate(int64_t start = 0, const From& from = From::current()) const;
  // Groups of `size` elements, each as a dataset; the last ones may have fewer.
  Windows window(int64_t size, const WindowArgs& args = {},
                 const From& from = From::current()) const;

  // function(dataset)
  template <class F>
  auto apply(F function) const {
    return function(*this);
  }
  // state = function(state, element), from the first element to the last.
  template <class State, class F>
  State reduce(State state, F function) const {
    for (const Element& element : *this) state = function(std::move(state), element);
    return state;
  }
  std::vector<Element> as_list() const { return {begin(), end()}; }

  // Writes all elements to one packed file, atomically.
  void save(const std::string& path, const SaveArgs& args = {}) const;

  int64_t cardinality() const;
  // The structure and types of elements. If a user function determines them, it is run on one
  // element.
  ElementSpec element_spec() const;
  // Statistics of its stages in the latest loop over it; for a fit, see Model::input_statistics().
  PipelineStatistics statistics() const;

  // Recomputes the batch that a fit over this dataset used at a step, with the origins of its
  // samples. Also during the fit, in callbacks.
  ExplainedBatch explain(const ExplainArgs& args) const;

  // Each `for` loop over a dataset is a new pass, with a new shuffle.
  class Iterator {
   public:
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    using pointer = const Element*;
    using reference = const Element&;
    using iterator_category = std::input_iterator_tag;
    const Element& operator*() const { return *element_; }
    const Element* operator->() const { return element_.get(); }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return cursor_ == other.cursor_; }

   private:
    friend class Dataset;
    std::shared_ptr<data::Cursor> cursor_;
    std::shared_ptr<Element> element_;
  };
  Iterator begin() const;
  Iterator end() const { return {}; }

  explicit Dataset(data::StageRef stage);
  const data::StageRef& stage() const { return stage_; }

 private:
  using ManyFunction = std::function<Dataset(const Element&)>;
  Dataset map_element(std::shared_ptr<const ElementFunction> function, const MapArgs& args,
                      const From& from) const;
  Dataset filter_element(std::function<bool(const Element&)> function, const From& from) const;
  Dataset interleave_element(ManyFunction function, const InterleaveArgs& args, const char* name,
                             const From& from) const;

  data::StageRef stage_;
  struct Passes;
  std::shared_ptr<Passes> passes_;  // number of passes so far
};

// The result of Dataset::window: windows, each a Dataset of its elements. Example:
//   dataset.window(5, {.shift = 1}).flat_map([](const Dataset& w) { return w.batch(5); })
class Windows {
 public:
  // The function maps a window to a Dataset; their elements are concatenated.
  template <class F>
  Dataset flat_map(F function, const Dataset::From& from = Dataset::From::current()) const {
    return windows_.flat_map(
        [function = std::move(function), created = created_](const Element& window) mutable
        -> Dataset { return function(dataset_of(window, created)); },
        from);
  }
  // The function maps a window to an element.
  template <class F>
  Dataset map(F function, const MapArgs& args = {},
              const Dataset::From& from = Dataset::From::current()) const;
  int64_t cardinality() const { return windows_.cardinality(); }
  std::vector<Dataset> as_list() const;

  Windows(Dataset windows, const Dataset::From& created)
      : windows_(std::move(windows)), created_(created) {}

 private:
  static Dataset dataset_of(const Element& window, const Dataset::From& created);
  Dataset windows_;  // each element is the tuple of a window's elements
  Dataset::From created_;
};

template <class F>
Dataset Dataset::map(F function, const MapArgs& args, const From& from) const {
  constexpr bool of_library = std::is_base_of_v<ElementFunction, F>;
  constexpr bool shares_nothing = std::is_empty_v<F> || std::is_pointer_v<F>;
  using Function = std::conditional_t<of_library, F, detail::FunctionOf<F>>;
  MapArgs chosen = args;
  if (chosen.num_parallel_calls == 0)
    chosen.num_parallel_calls = of_library || shares_nothing ? AUTOTUNE : 1;
  return map_element(std::make_shared<Function>(std::move(function)), chosen, from);
}

template <class F>
Dataset Windows::map(F function, const MapArgs& args, const Dataset::From& from) const {
  return windows_.map(
      [function = std::move(function), created = created_](const Element& window) mutable {
        return detail::element_from(function(dataset_of(window, created)));
      },
      args, from);
}

template <class F>
Dataset Dataset::filter(F function, const From& from) const {
  return filter_element(
      [function = std::move(function)](const Element& element) mutable -> bool {
        return detail::call_with(function, element);
      },
      from);
}

template <class F>
Dataset Dataset::flat_map(F function, const From& from) const {
  return interleave_element(
      [function = std::move(function)](const Element& element) mutable -> Dataset {
        return detail::call_with(function, element);
      },
      {.cycle_length = 1}, "flat_map", from);
}

template <class F>
Dataset Dataset::interleave(F function, const InterleaveArgs& args, const From& from) const {
  return interleave_element(
      [function = std::move(function)](const Element& element) mutable -> Dataset {
        return detail::call_with(function, element);
      },
      args, "interleave", from);
}

}  // namespace stoker
