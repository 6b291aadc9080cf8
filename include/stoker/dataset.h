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
  // start, start + step … without end, as int64.
  static Dataset counter(int64_t start = 0, int64_t step = 1, const From& from = From::current());
  // Random numbers from 0 to 2^32 - 1 without end, as int64.
  static Dataset random(const RandomDatasetArgs& args = {}, const From& from = From::current());
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
  // Ends before the first element for which the function returns false.
  template <class F>
  Dataset take_while(F predicate, const From& from = From::current()) const;
  // The function takes a state, which is `initial_state` at first, and an element, and returns a
  // pair of the next state and an element of the result.
  template <class F>
  Dataset scan(const Element& initial_state, F scan_func, const From& from = From::current()) const;
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
  // Batches of elements of similar length, padded: bucket i has the lengths from boundary i - 1 to
  // below boundary i, and its batch size. element_length_func returns an integer, or an array of
  // one.
  template <class F>
  Dataset bucket_by_sequence_length(F element_length_func,
                                    const std::vector<int64_t>& bucket_boundaries,
                                    const std::vector<int64_t>& bucket_batch_sizes,
                                    const BucketArgs& args = {},
                                    const From& from = From::current()) const;
  // Collects elements with the same key, an integer; of every `window_size` of them, and of the
  // rest at the end, reduce_func(key, window) makes the elements of a Dataset.
  template <class K, class R>
  Dataset group_by_window(K key_func, R reduce_func, int64_t window_size,
                          const From& from = From::current()) const;
  template <class K, class R>
  Dataset group_by_window(K key_func, R reduce_func,
                          const std::function<int64_t(int64_t key)>& window_size_func,
                          const From& from = From::current()) const;
  Dataset unbatch(const From& from = From::current()) const;
  Dataset rebatch(int64_t batch_size, const RebatchArgs& args = {},
                  const From& from = From::current()) const;
  // The sizes of the list in turn, again and again.
  Dataset rebatch(const std::vector<int64_t>& batch_sizes, const RebatchArgs& args = {},
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
  // Each array of integers or strings only where it occurs first.
  Dataset unique(const From& from = From::current()) const;
  // Drops elements at random so that classes, numbered from 0 by class_func, occur with the
  // frequencies target_dist. Elements become pairs of the class, int64, and the element.
  template <class F>
  Dataset rejection_resample(F class_func, const std::vector<double>& target_dist,
                             const RejectionResampleArgs& args = {},
                             const From& from = From::current()) const;
  // Drops or replaces elements that cannot be made: damaged files, functions that throw. Later
  // batches are full, and the order is kept. Out-of-memory errors, device failures and internal
  // errors are not ignored.
  Dataset ignore_errors(const IgnoreErrorsArgs& args = {},
                        const From& from = From::current()) const;
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
  // The element of a dataset that has exactly one.
  Element get_single_element() const;
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
  using Predicate = std::function<bool(const Element&)>;
  using Number = std::function<int64_t(const Element&)>;
  using Scan = std::function<std::pair<Element, Element>(const Element&, const Element&)>;
  struct Grouping {
    Number key;
    std::function<Dataset(int64_t, const Dataset&)> reduce;
    std::function<int64_t(int64_t)> size;
  };
  Dataset filter_element(Predicate function, const From& from) const;
  Dataset take_while_element(Predicate predicate, const From& from) const;
  Dataset scan_element(const Element& initial_state, Scan function, const From& from) const;
  Dataset group_element(Grouping grouping, const From& from) const;
  Dataset bucket_element(Number length, const std::vector<int64_t>& bucket_boundaries,
                         const std::vector<int64_t>& bucket_batch_sizes, const BucketArgs& args,
                         const From& from) const;
  Dataset resample_element(Number class_of, const std::vector<double>& target_dist,
                           const RejectionResampleArgs& args, const From& from) const;
  Dataset interleave_element(ManyFunction function, const InterleaveArgs& args, const char* name,
                             const From& from) const;

  data::StageRef stage_;
  struct Passes;
  std::shared_ptr<Passes> passes_;  // number of passes so far
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
Dataset Dataset::filter(F function, const From& from) const {
  return filter_element(
      [function = std::move(function)](const Element& element) mutable -> bool {
        return detail::call_with(function, element);
      },
      from);
}

template <class F>
Dataset Dataset::take_while(F predicate, const From& from) const {
  return take_while_element(
      [predicate = std::move(predicate)](const Element& element) mutable -> bool {
        return detail::call_with(predicate, element);
      },
      from);
}

template <class F>
Dataset Dataset::scan(const Element& initial_state, F scan_func, const From& from) const {
  return scan_element(
      initial_state,
      [function = std::move(scan_func)](const Element& state, const Element& element) mutable {
        const auto made = function(state, element);
        const auto& [next, result] = made;
        return std::pair(detail::element_from(next), detail::element_from(result));
      },
      from);
}

template <class K, class R>
Dataset Dataset::group_by_window(K key_func, R reduce_func,
                                 const std::function<int64_t(int64_t key)>& window_size_func,
                                 const From& from) const {
  return group_element(
      {[key = std::move(key_func)](const Element& element) mutable {
         return detail::integer_from(detail::call_with(key, element));
       },
       [reduce = std::move(reduce_func)](int64_t key, const Dataset& window) mutable -> Dataset {
         if constexpr (std::is_invocable_v<R&, int64_t, const Dataset&>)
           return reduce(key, window);
         else
           return reduce(Array::scalar<int64_t>(key), window);
       },
       window_size_func},
      from);
}
template <class K, class R>
Dataset Dataset::group_by_window(K key_func, R reduce_func, int64_t window_size,
                                 const From& from) const {
  const std::function<int64_t(int64_t)> size = [window_size](int64_t) { return window_size; };
  return group_by_window(std::move(key_func), std::move(reduce_func), size, from);
}

template <class F>
Dataset Dataset::bucket_by_sequence_length(F element_length_func,
                                           const std::vector<int64_t>& bucket_boundaries,
                                           const std::vector<int64_t>& bucket_batch_sizes,
                                           const BucketArgs& args, const From& from) const {
  return bucket_element(
      [length = std::move(element_length_func)](const Element& element) mutable {
        return detail::integer_from(detail::call_with(length, element));
      },
      bucket_boundaries, bucket_batch_sizes, args, from);
}

template <class F>
Dataset Dataset::rejection_resample(F class_func, const std::vector<double>& target_dist,
                                    const RejectionResampleArgs& args, const From& from) const {
  return resample_element(
      [class_of = std::move(class_func)](const Element& element) mutable {
        return detail::integer_from(detail::call_with(class_of, element));
      },
      target_dist, args, from);
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

#include "stoker/windows.h"  // NOLINT: it needs Dataset
