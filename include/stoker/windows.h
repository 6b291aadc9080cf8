#pragma once
#include "stoker/dataset.h"

namespace stoker {

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
  // Keeps the windows for which the function returns true.
  template <class F>
  Windows filter(F function, const Dataset::From& from = Dataset::From::current()) const;
  Windows take(int64_t count, const Dataset::From& from = Dataset::From::current()) const {
    return {windows_.take(count, from), created_};
  }
  Windows skip(int64_t count, const Dataset::From& from = Dataset::From::current()) const {
    return {windows_.skip(count, from), created_};
  }
  Windows shuffle(int64_t buffer_size, const ShuffleArgs& args = {},
                  const Dataset::From& from = Dataset::From::current()) const {
    return {windows_.shuffle(buffer_size, args, from), created_};
  }
  Windows repeat(int64_t count = -1, const Dataset::From& from = Dataset::From::current()) const {
    return {windows_.repeat(count, from), created_};
  }
  int64_t cardinality() const { return windows_.cardinality(); }
  std::vector<Dataset> as_list() const;

  class Iterator {
   public:
    using value_type = Dataset;
    using difference_type = std::ptrdiff_t;
    Iterator(Dataset::Iterator at, const Dataset::From& created)
        : at_(std::move(at)), created_(created) {}
    Dataset operator*() const { return dataset_of(*at_, created_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    Dataset::Iterator at_;
    Dataset::From created_;
  };
  Iterator begin() const { return {windows_.begin(), created_}; }
  Iterator end() const { return {windows_.end(), created_}; }

  Windows(Dataset windows, const Dataset::From& created)
      : windows_(std::move(windows)), created_(created) {}

 private:
  static Dataset dataset_of(const Element& window, const Dataset::From& created);
  Dataset windows_;  // each element is the tuple of a window's elements
  Dataset::From created_;
};

template <class F>
Dataset Windows::map(F function, const MapArgs& args, const Dataset::From& from) const {
  return windows_.map(
      [function = std::move(function), created = created_](const Element& window) mutable {
        return detail::element_from(function(dataset_of(window, created)));
      },
      args, from);
}

template <class F>
Windows Windows::filter(F function, const Dataset::From& from) const {
  return {windows_.filter(
              [function = std::move(function), created = created_](const Element& window) mutable
              -> bool { return function(dataset_of(window, created)); },
              from),
          created_};
}

}  // namespace stoker
