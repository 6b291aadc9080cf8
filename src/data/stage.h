#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "data/batch_memory.h"
#include "data/batching.h"
#include "data/calls.h"
#include "data/tuning/meter.h"
#include "data/workers.h"
#include "stoker/dataset.h"

namespace stoker::device {
struct Device;
}

// The building blocks of datasets. A Stage is an immutable description; opening it gives a Cursor
// or, if elements can be read by index, an Indexed, which any number of threads may read. All
// randomness depends only on (seed, pass, index of the element): neither threads nor restarts
// change the results.
namespace stoker::data {

class DeviceCache;

struct Opening {
  uint64_t seed = 0;  // for stages without their own
  int64_t pass = 0;   // number of earlier passes over the data
  int64_t stage = 0;  // number of maps behind: distinguishes their random numbers
  uint64_t part = 0;  // likewise the parts of a zip, for maps without a seed of their own
  Workers* workers = &Workers::global();
  std::shared_ptr<BatchMemory> memory = std::make_shared<BatchMemory>();
  bool numbers_only = false;    // index() is used for the origins of elements only
  bool tracks_origins = false;  // cursors report origins, and run in the calling thread
  bool kept_on_device = false;  // the caller keeps the output of cache_on_device
};

// A fit over the dataset, for explain().
struct FedBy {
  uint64_t seed = 0;
  int64_t steps_per_epoch = 0;
  int64_t maps_behind = 0;  // appended by fit
};

// Sequential access to elements, for one thread. Its stage, and those before it, must outlive it.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool next(Element& element) = 0;  // false: end
  // Like that many calls of next() whose elements are dropped. Returns how many there were.
  virtual int64_t skip(int64_t count);

  // Is next_rows() available? For sources that read many small elements faster than single ones.
  virtual bool gives_rows() const { return false; }
  // The next elements as rows of one, at most `most`; false: end. After an error, those before the
  // erroneous one are next: with 0, only these, and false if there are none.
  virtual bool next_rows(Element& rows, int64_t most);

  // If opened with tracks_origins: appends the source elements of the last element.
  virtual void add_origins(std::vector<SampleOrigin>& to) const { (void)to; }
};

// Random access to elements by index, for all threads. Held by a shared_ptr.
class Indexed : public std::enable_shared_from_this<Indexed> {
 public:
  virtual ~Indexed() = default;
  virtual int64_t size() const = 0;
  virtual Element at(int64_t i) const;  // by write() unless overridden

  // Translates indices of elements to indices before the stages that only choose and reorder
  // elements, and returns the Indexed they refer to. Null: they refer to several, and the indices
  // are invalid; a single one always succeeds.
  virtual std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const {
    (void)numbers;
    return shared_from_this();
  }
  // If elements can be written directly into rows of a batch: the type of each. One of at() and
  // write() must be overridden.
  virtual const ElementSpec* writes() const { return nullptr; }
  virtual void write(int64_t i, const std::vector<std::byte*>& to) const;
  // If element i is row i of arrays: the arrays.
  virtual const Element* rows() const { return nullptr; }

  // If opened with numbers_only: appends the source elements of element i.
  virtual void add_origins(int64_t i, std::vector<SampleOrigin>& to) const { (void)i, (void)to; }
  // If element i is a file: its name.
  virtual std::string file_of(int64_t i) const {
    (void)i;
    return {};
  }
};

// Rows of arrays, each once.
struct RowsInOrder {
  Element arrays;
  bool shuffled = false;              // all of them, in another order in each pass
  std::optional<uint64_t> seed = {};  // for shuffling; none: the fit's
  int64_t batch_size = 0;             // 0: single rows
  bool of_files = false;              // the first array has their names
};

// The selection of take, skip and shard: elements first, first + step, … up to a number of them.
// With `rows`, only those that a rank's rows of batches are made of.
struct Choice {
  int64_t first = 0, step = 1, most = -1;  // -1: all
  std::optional<RankRows> rows = {};

  // The index of the i-th selected element; the largest integer if there can be no such element.
  int64_t at(int64_t i) const {
    int64_t number = rows ? rows->at(i) : i;
    const bool too_large = __builtin_mul_overflow(number, step, &number) ||
                           __builtin_add_overflow(number, first, &number);
    return too_large ? std::numeric_limits<int64_t>::max() : number;
  }
  // The number of selected elements, without `rows`.
  int64_t of(int64_t elements) const {
    const int64_t there = elements <= first ? 0 : (elements - first - 1) / step + 1;
    return most == -1 ? there : std::min(there, most);
  }
  // The composition: `behind` selects from the elements selected by this one.
  Choice then(const Choice& behind) const;
};

class Stage {
 public:
  Stage(const char* name, const std::source_location& created) : name_(name), created_(created) {}
  virtual ~Stage() = default;

  virtual int64_t cardinality() const = 0;
  // Null: only sequential access.
  virtual std::shared_ptr<const Indexed> index(const Opening&) const { return nullptr; }
  // by default a cursor over index()
  virtual std::unique_ptr<Cursor> open(const Opening& opening) const;
  // Only the chosen elements, as open() would return them; the others need not be made.
  virtual std::unique_ptr<Cursor> open_chosen(const Opening& opening, const Choice& choice) const;
  // For ignore_errors, which goes on behind errors: as open(), but `take` counts only elements that
  // could be made, as in tf.data.
  virtual std::unique_ptr<Cursor> open_past_errors(const Opening& opening) const;
  virtual bool has_take() const { return false; }  // whose count open_past_errors() respects
  // If known without reading data.
  virtual std::optional<ElementSpec> spec() const { return std::nullopt; }
  // The rows of an element if elements are batches of a known size; the last may have fewer.
  virtual int64_t batch_rows() const { return 0; }
  // If the rows of batches can be made independently: the batches. Nothing: each rank must make
  // whole batches to get its rows, for the reason given by why_whole().
  virtual std::optional<Batching> batching() const { return std::nullopt; }
  virtual std::string why_whole() const;
  // Batches of one rank's rows. Requires batching().
  virtual std::unique_ptr<Cursor> open_rows(const Opening& opening,
                                            const distribution::Division& division) const;
  virtual std::vector<const Stage*> inputs() const { return {}; }  // the stages before it
  // Appends the settings of the functions that are called when an element is read by index: the
  // maximum of concurrent calls of each.
  virtual void add_calls(std::vector<const Setting*>& to) const;
  // Do its own results differ between passes?
  virtual bool is_random() const { return false; }
  // Are its elements in the same order in every run?
  virtual bool keeps_order() const { return true; }
  // If its elements are only rows of arrays, or batches of them: these.
  virtual std::optional<RowsInOrder> rows_in_order() const { return std::nullopt; }
  // If cache_on_device is the last stage: its cache on that device. Else null.
  virtual std::shared_ptr<DeviceCache> device_cache(const device::Device& device) const;
  // Its arguments and data, as far as its elements depend on them; for caches on disk. Nothing:
  // unknown, so that no file is trusted to contain its elements.
  virtual std::optional<std::string> identity() const { return std::nullopt; }
  // The files that it reads from begin to end, so that the number of its elements is unknown.
  virtual std::vector<std::string> files_in_turn() const { return {}; }

  const char* name() const { return name_; }
  const std::source_location& created() const { return created_; }
  std::string where() const;  // "map, created train.cpp:41"
  Meter& meter() const { return meter_; }
  void note_fit(const FedBy& fit) const;
  std::optional<FedBy> latest_fit() const;

 private:
  const char* name_;
  std::source_location created_;
  mutable Meter meter_;
  mutable std::mutex fit_mutex_;
  mutable std::optional<FedBy> latest_fit_;
};

// How many threads may read a stage's elements by index concurrently: limited by the settings of
// its functions; `otherwise` if there are none.
int64_t calls_at_once(const Stage& stage, int64_t otherwise);

// Calls run() and adds the stage and the element to its errors.
template <class Run>
auto at_element(const Stage& stage, int64_t number, Run run) -> decltype(run());

// Makes the first element; throws InvalidArgument if there is none.
ElementSpec spec_of_first(const StageRef& stage);

std::string place_of(const Stage& stage, int64_t number);
[[noreturn]] void throw_of_user(const Stage& stage, int64_t number, const char* what);
[[noreturn]] void throw_out_of_memory(const Stage& stage, int64_t number);

template <class Run>
auto at_element(const Stage& stage, int64_t number, Run run) -> decltype(run()) {
  try {
    return run();
  } catch (Error& error) {
    error.add_where(place_of(stage, number));
    throw;
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(stage, number);
  } catch (const std::exception& error) {
    throw_of_user(stage, number, error.what());
  } catch (const Cancelled&) {
    throw;
  } catch (...) {
    throw_of_user(stage, number, "an object that is no std::exception");
  }
}

// at_element() for a user function, or other work that makes an element: it is timed, and reported
// if it does not return.
template <class Run>
auto call_for_element(const Stage& stage, int64_t number, Run run) -> decltype(run()) {
  return at_element(stage, number, [&] {
    const CurrentCall call(stage.name(), stage.created(), number);
    const int64_t stands_for = stage.meter().count();
    if (stands_for == 0) return run();
    const Timed timed(stage.meter(), 1, stands_for);
    return run();
  });
}

// Reads an Indexed from its first element on.
class IndexedCursor : public Cursor {
 public:
  // `numbers`: the same, opened with numbers_only, if origins are needed.
  explicit IndexedCursor(std::shared_ptr<const Indexed> elements,
                         std::shared_ptr<const Indexed> numbers = nullptr)
      : elements_(std::move(elements)), numbers_(std::move(numbers)) {}
  bool next(Element& element) override;
  int64_t skip(int64_t count) override;
  void add_origins(std::vector<SampleOrigin>& to) const override {
    if (numbers_) numbers_->add_origins(next_ - 1, to);
  }

 private:
  std::shared_ptr<const Indexed> elements_, numbers_;
  int64_t next_ = 0;
};

// Null if elements have no indices.
std::unique_ptr<Cursor> open_by_number(const Stage& stage, const Opening& opening);

constexpr bool is_finite(int64_t cardinality) { return cardinality >= 0; }

// Of numbers of elements: at most the largest integer.
inline int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}
inline int64_t product_of(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace stoker::data
