#pragma once
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>

#include "stoker/element_function.h"
#include "stoker/explained_batch.h"
#include "stoker/pipeline_statistics.h"
#include "stoker/tensor.h"

namespace stoker {

inline constexpr int64_t AUTOTUNE = -1;
// What cardinality() gives where there is no number of elements.
inline constexpr int64_t INFINITE_CARDINALITY = -1, UNKNOWN_CARDINALITY = -2;

namespace data {
class Cursor;
class Stage;
using StageRef = std::shared_ptr<const Stage>;
}  // namespace data

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
class Windows;

// Elements one after the other, made while they are asked for: a source and stages behind it, with
// tf.data's names and meaning. A dataset is a description; copies are cheap and share it.
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
  // `begin` is called for every pass over the data and returns a function that gives one element
  // after the other, then nothing. Elements that are not of the signature are refused.
  using Generator = std::function<std::optional<Element>()>;
  static Dataset from_generator(std::function<Generator()> begin, const ElementSpec& signature,
                                const From& from = From::current());
  // A file that save() has written. Elements are read by their numbers, each with its checksum.
  static Dataset load(const std::string& path, const From& from = From::current());
  static Dataset zip(const std::vector<Dataset>& datasets, const From& from = From::current());
  // Each element comes from a dataset that is drawn at random.
  static Dataset sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleFromArgs& args = {},
                                      const From& from = From::current());
  // … or from the one whose number the next element of `choices` is.
  static Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                                      const ChooseFromArgs& args = {},
                                      const From& from = From::current());
  // The names of the files that match one of the patterns (*, ?, [a-z]), each once.
  static Dataset list_files(const std::vector<std::string>& patterns,
                            const ListFilesArgs& args = {}, const From& from = From::current());
  static Dataset list_files(const std::string& pattern, const ListFilesArgs& args = {},
                            const From& from = From::current()) {
    return list_files(std::vector{pattern}, args, from);
  }

  // The function takes the arrays of an element, one parameter each, or an Element, and returns an
  // array, a pair or tuple of arrays, or an Element. With Tensor instead of Array it is made of
  // ops. A last parameter `Random&` gives it random numbers of the element's own.
  template <class F>
  Dataset map(F function, const MapArgs& args = {}, const From& from = From::current()) const;
  // Keeps the elements for which the function gives true.
  template <class F>
  Dataset filter(F function, const From& from = From::current()) const;
  // The function makes a Dataset of an element; their elements follow one another.
  template <class F>
  Dataset flat_map(F function, const From& from = From::current()) const;
  // … or take turns: `block_length` elements of each of `cycle_length` datasets.
  template <class F>
  Dataset interleave(F function, const InterleaveArgs& args = {},
                     const From& from = From::current()) const;

  // Where elements can be had by their number the whole data is shuffled, whatever the buffer.
  Dataset shuffle(int64_t buffer_size, const ShuffleArgs& args = {},
                  const From& from = From::current()) const;
  Dataset batch(int64_t batch_size, const DatasetBatchArgs& args = {},
                const From& from = From::current()) const;
  Dataset padded_batch(int64_t batch_size, const PaddedBatchArgs& args = {},
                       const From& from = From::current()) const;
  Dataset unbatch(const From& from = From::current()) const;
  Dataset rebatch(int64_t batch_size, const RebatchArgs& args = {},
                  const From& from = From::current()) const;
  // Makes elements in a thread of its own before they are asked for.
  Dataset prefetch(int64_t buffer_size = AUTOTUNE, const From& from = From::current()) const;
  Dataset cache(const From& from = From::current()) const;  // in memory
  // In a file, which is written before the first element is given, and serves later runs of the
  // same pipeline. Of a function, the pipeline knows the place in the program: remove the file when
  // only the function's code has changed.
  Dataset cache(const std::string& filename, const From& from = From::current()) const;
  Dataset repeat(int64_t count = -1, const From& from = From::current()) const;  // -1: for ever
  Dataset take(int64_t count, const From& from = From::current()) const;         // -1: all
  Dataset skip(int64_t count, const From& from = From::current()) const;         // -1: all
  Dataset shard(int64_t num_shards, int64_t index, const From& from = From::current()) const;
  Dataset concatenate(const Dataset& other, const From& from = From::current()) const;
  Dataset enumerate(int64_t start = 0, const From& from = From::current()) const;
  // `size` elements each, as datasets of their own; the last ones may have fewer.
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

  // Writes all elements into one packed file, which appears when it is complete.
  void save(const std::string& path, const SaveArgs& args = {}) const;

  int64_t cardinality() const;
  // What elements look like. Where a function of the program decides that, it runs on one element.
  ElementSpec element_spec() const;
  // What its stages have done in the latest loop over it; of a fit, Model::input_statistics()
  // tells.
  PipelineStatistics statistics() const;

  // The batch that a fit over this dataset fed at a step, made again, and where its samples come
  // from. In its callbacks, too.
  ExplainedBatch explain(const ExplainArgs& args) const;

  // Every `for` loop over a dataset is one more pass over it: it shuffles anew.
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
  std::shared_ptr<Passes> passes_;  // how often it was gone through
};

// What Dataset::window gives: windows, each a Dataset of its elements. As in
//   dataset.window(5, {.shift = 1}).flat_map([](const Dataset& w) { return w.batch(5); })
class Windows {
 public:
  // The function makes a Dataset of a window; their elements follow one another.
  template <class F>
  Dataset flat_map(F function, const Dataset::From& from = Dataset::From::current()) const {
    return windows_.flat_map(
        [function = std::move(function), created = created_](const Element& window) mutable
        -> Dataset { return function(dataset_of(window, created)); },
        from);
  }
  // The function makes an element of a window.
  template <class F>
  Dataset map(F function, const MapArgs& args = {},
              const Dataset::From& from = Dataset::From::current()) const;
  int64_t cardinality() const { return windows_.cardinality(); }
  std::vector<Dataset> as_list() const;

  Windows(Dataset windows, const Dataset::From& created)
      : windows_(std::move(windows)), created_(created) {}

 private:
  static Dataset dataset_of(const Element& window, const Dataset::From& created);
  Dataset windows_;  // each element the tuple of a window's elements
  Dataset::From created_;
};

namespace detail {

// The parameters of a function, where it has one set of them: not those of a generic lambda.
template <class F>
struct Parameters {};
template <class R, class... P>
struct Parameters<R (*)(P...)> : std::type_identity<std::tuple<P...>> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...)> : std::type_identity<std::tuple<P...>> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...) const> : std::type_identity<std::tuple<P...>> {};
template <class F>
struct ParametersOf : Parameters<F> {};
template <class F>
requires requires { &F::operator(); }
struct ParametersOf<F> : Parameters<decltype(&F::operator())> {};

template <class F, class... Last, size_t... i>
constexpr bool takes_arrays(std::index_sequence<i...>) {
  return std::is_invocable_v<F&, decltype((void(i), std::declval<const Array&>()))..., Last...>;
}
template <class F, size_t n, class... Last>
constexpr size_t arrays_of_generic() {
  constexpr size_t most = 8;
  if constexpr (n > most && sizeof...(Last) == 0)
    return arrays_of_generic<F, 1, Random&>();
  else if constexpr (n <= most && !takes_arrays<F, Last...>(std::make_index_sequence<n>()))
    return arrays_of_generic<F, n + 1, Last...>();
  else
    static_assert(n <= most, "the function must take an Element, or up to eight arrays");
  return n;
}
template <class Type, class... Types>
constexpr size_t count_of(std::type_identity<std::tuple<Types...>>) {
  return (0 + ... + (std::is_same_v<std::remove_cvref_t<Types>, Type> ? 1 : 0));
}
// How many arrays a function takes; 0: an Element.
template <class F>
constexpr size_t arrays_taken() {
  if constexpr (requires { typename ParametersOf<F>::type; }) {
    using Types = std::type_identity<typename ParametersOf<F>::type>;
    if constexpr (count_of<Element>(Types()) > 0)
      return 0;
    else
      return std::tuple_size_v<typename Types::type> - count_of<Random>(Types());
  } else {
    return arrays_of_generic<F, 1>();
  }
}
template <class F, size_t... i>
constexpr bool needs_random(std::index_sequence<i...> arrays) {
  if constexpr (sizeof...(i) == 0)
    return !std::is_invocable_v<F&, const Element&>;
  else
    return !takes_arrays<F>(arrays);
}
// Whether its last parameter is Random&.
template <class F>
constexpr bool takes_random() {
  return needs_random<F>(std::make_index_sequence<arrays_taken<F>()>());
}
void check_taken(const Element& element, size_t takes);
// Random numbers go last, to a function that takes them.
template <class F, class... Given>
decltype(auto) call_with_random(F& function, Random* random, const Given&... given) {
  if constexpr (std::is_invocable_v<F&, const Given&...>)
    return function(given...);
  else
    return function(given..., *random);
}
template <class F, size_t... i>
decltype(auto) call_with_arrays(F& function, const Element& element, Random* random,
                                std::index_sequence<i...>) {
  check_taken(element, sizeof...(i));
  return call_with_random(function, random, element.arrays()[i]...);
}
template <class F>
decltype(auto) call_with(F& function, const Element& element, Random* random = nullptr) {
  if constexpr (arrays_taken<F>() == 0)
    return call_with_random(function, random, element);
  else
    return call_with_arrays(function, element, random,
                            std::make_index_sequence<arrays_taken<F>()>());
}

inline Element element_from(Element element) { return element; }
inline Element element_from(const Array& array) { return array; }
inline Element element_from(const Tensor& tensor) { return tensor.array(); }
template <class A, class B>
Element element_from(const std::pair<A, B>& pair) {
  return Element::tuple({element_from(pair.first), element_from(pair.second)});
}
template <class... T>
Element element_from(const std::tuple<T...>& parts) {
  return std::apply([](const auto&... part) { return Element::tuple({element_from(part)...}); },
                    parts);
}

// A function of the program's.
template <class F>
class FunctionOf : public ElementFunction {
 public:
  explicit FunctionOf(F function) : function_(std::move(function)) {}
  Element call(const Element& element, Random& random) const override {
    return element_from(call_with(function_, element, &random));
  }
  bool is_random() const override { return takes_random<F>(); }

 private:
  mutable F function_;
};

}  // namespace detail

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
