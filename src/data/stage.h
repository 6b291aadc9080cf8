#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "data/batch_memory.h"
#include "data/calls.h"
#include "data/tuning/meter.h"
#include "data/workers.h"
#include "stoker/dataset.h"

namespace stoker::device {
struct Device;
}

// What datasets are made of. A Stage is a description that never changes; opening one gives a
// Cursor, or, where elements can be had by their number, an Indexed, which any number of threads
// may read. All that is random is a function of (seed, pass, number of the element): neither
// threads nor restarts change what comes out.
namespace stoker::data {

class DeviceCache;

struct Opening {
  uint64_t seed = 0;  // for stages that were given none
  int64_t pass = 0;   // how many times the data was gone through before
  int64_t stage = 0;  // how many maps lie behind: tells their random numbers apart
  Workers* workers = &Workers::global();
  std::shared_ptr<BatchMemory> memory = std::make_shared<BatchMemory>();
  bool numbers_only = false;    // index() is asked for origins of elements, not for elements
  bool tracks_origins = false;  // cursors are asked for origins, and work in the calling thread
  bool kept_on_device = false;  // what cache_on_device gives is kept by whoever asks
};

// What a fit says to the dataset that it is over, for explain().
struct FedBy {
  uint64_t seed = 0;
  int64_t steps_per_epoch = 0;
  int64_t maps_behind = 0;  // that fit put behind it
};

// Elements one after the other, for one thread. Its stage, and those before it, must outlive it.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool next(Element& element) = 0;  // false: there are no more
  // As that many calls of next() whose elements nobody wants. Returns how many there were.
  virtual int64_t skip(int64_t count);

  // Whether next_rows() is there: for what reads many small elements faster than one at a time.
  virtual bool gives_rows() const { return false; }
  // The next elements as rows of one, `most` of them, or fewer at the end; false: there are none.
  virtual bool next_rows(Element& rows, int64_t most);

  // Opened with tracks_origins: adds the elements of sources that the last element is made of.
  virtual void add_origins(std::vector<SampleOrigin>& to) const { (void)to; }
};

// Elements by their number, for all threads. Held by a shared_ptr.
class Indexed : public std::enable_shared_from_this<Indexed> {
 public:
  virtual ~Indexed() = default;
  virtual int64_t size() const = 0;
  virtual Element at(int64_t i) const;  // by write(), unless it is overridden

  // Turns numbers of elements into those that they have before the stages that only choose and
  // order elements, and returns what they are numbers of then. Null: not all of them lie in one
  // place, and the numbers are lost; a single one always does.
  virtual std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const {
    (void)numbers;
    return shared_from_this();
  }
  // Where elements are written straight into rows of a batch: what each is. One of at() and write()
  // must be there.
  virtual const ElementSpec* writes() const { return nullptr; }
  virtual void write(int64_t i, const std::vector<std::byte*>& to) const;
  // If element i is row i of arrays: these.
  virtual const Element* rows() const { return nullptr; }

  // Opened with numbers_only: adds the elements of sources that element i is made of.
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
  std::optional<uint64_t> seed = {};  // by which; none: the fit's
  int64_t batch_size = 0;             // 0: single rows
};

// What take, skip and shard keep: elements first, first + step, … up to a number of them.
struct Choice {
  int64_t first = 0, step = 1, most = -1;  // -1: all

  int64_t of(int64_t elements) const {
    const int64_t there = elements <= first ? 0 : (elements - first - 1) / step + 1;
    return most == -1 ? there : std::min(there, most);
  }
  // What `behind` keeps of the elements that this one keeps, as a choice of all elements.
  Choice then(const Choice& behind) const;
};

class Stage {
 public:
  Stage(const char* name, const std::source_location& created) : name_(name), created_(created) {}
  virtual ~Stage() = default;

  virtual int64_t cardinality() const = 0;
  // Null: elements can only be had one after the other.
  virtual std::shared_ptr<const Indexed> index(const Opening&) const { return nullptr; }
  virtual std::unique_ptr<Cursor> open(const Opening& opening) const;  // of index(), by default
  // Only those elements, each as open() gives it; the others need not be made.
  virtual std::unique_ptr<Cursor> open_chosen(const Opening& opening, const Choice& choice) const;
  // As far as it is known without reading data.
  virtual std::optional<ElementSpec> spec() const { return std::nullopt; }
  // The rows of an element, if elements are batches of a known size; the last may have fewer.
  virtual int64_t batch_rows() const { return 0; }
  virtual std::vector<const Stage*> inputs() const { return {}; }  // the stages before it
  // Adds the settings of the functions that are called when an element is asked for by its number:
  // how many calls of each may run at the same time.
  virtual void add_calls(std::vector<const Setting*>& to) const;
  // Whether its own part in the elements differs from pass to pass.
  virtual bool is_random() const { return false; }
  // Whether its elements come in the same order in every run.
  virtual bool keeps_order() const { return true; }
  // If its elements are nothing but rows of arrays, or batches of them: these.
  virtual std::optional<RowsInOrder> rows_in_order() const { return std::nullopt; }
  // Where cache_on_device is the last stage: what it keeps on that device. Else null.
  virtual std::shared_ptr<DeviceCache> device_cache(const device::Device& device) const;
  // Its arguments and data, as far as its elements depend on them; for caches on disk. Nothing: it
  // cannot say, so that no file is believed to hold its elements.
  virtual std::optional<std::string> identity() const { return std::nullopt; }

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

// How many threads may ask a stage for elements by their numbers at the same time: no more than the
// calls that the program allows each of the functions; `otherwise`, where there is none.
int64_t calls_at_once(const Stage& stage, int64_t otherwise);

// Calls run() and adds to an error which stage and element it comes from.
template <class Run>
auto at_element(const Stage& stage, int64_t number, Run run) -> decltype(run());

std::string place_of(const Stage& stage, int64_t number);
[[noreturn]] void throw_of_user(const Stage& stage, int64_t number, const char* what);

template <class Run>
auto at_element(const Stage& stage, int64_t number, Run run) -> decltype(run()) {
  try {
    return run();
  } catch (Error& error) {
    error.add_where(place_of(stage, number));
    throw;
  } catch (const std::exception& error) {
    throw_of_user(stage, number, error.what());
  }
}

// at_element() for a function of the program's, or other work that makes an element: it is timed,
// and named if it does not return.
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
  // `numbers`: the same, opened with numbers_only, where origins are asked for.
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

// Null where elements have no numbers.
std::unique_ptr<Cursor> open_by_number(const Stage& stage, const Opening& opening);

constexpr bool is_finite(int64_t cardinality) { return cardinality >= 0; }

}  // namespace stoker::data
