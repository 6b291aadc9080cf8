#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "data/stage.h"
#include "data/tuning/byte_account.h"
#include "data/window.h"
#include "data/work_size.h"
#include "distribution/collectives.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

constexpr const char* calls = "parallel calls";
// Per thread: an element that takes long delays those behind it.
constexpr int64_t most_calls_each = 64;

using Function = std::shared_ptr<const ElementFunction>;

// The source of an opened map's random numbers.
struct Draws {
  uint64_t seed;
  int64_t pass;
  uint64_t stage;
  Random of(int64_t number) const {
    return Random(seed, static_cast<uint64_t>(pass), static_cast<uint64_t>(number), stage);
  }
};
Opening one_map_further(Opening opening) {
  ++opening.stage;
  return opening;
}

class Map : public Stage {
 public:
  Map(StageRef before, Function function, const MapArgs& args, const std::source_location& created)
      : Stage("map", created),
        before_(std::move(before)),
        function_(std::move(function)),
        args_(args) {
    if (args_.num_parallel_calls < 1 && args_.num_parallel_calls != AUTOTUNE)
      throw InvalidArgument(
          fmt::format("{}: num_parallel_calls must be positive or AUTOTUNE, got {}.", where(),
                      args_.num_parallel_calls));
    meter().parallel = meter().inline_at_one = !serial();
    if (args_.num_parallel_calls != AUTOTUNE) meter().setting.fix(calls, args_.num_parallel_calls);
    if (const auto given = before_->spec()) spec_ = spec_of(*given);
  }
  int64_t cardinality() const override { return before_->cardinality(); }
  std::optional<ElementSpec> spec() const override { return spec_; }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override;
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  std::unique_ptr<Cursor> open_chosen(const Opening& opening, const Choice& choice) const override;
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  void add_calls(std::vector<const Setting*>& to) const override {
    Stage::add_calls(to);
    to.push_back(&meter().setting);
  }
  // of the function: only its source location
  std::optional<std::string> identity() const override {
    return fmt::format("{}", args_.seed.value_or(0));
  }

  Element call(const Element& element, const Draws& draws, int64_t number) const {
    const auto turn = turn_if_serial();
    return call_for_element(*this, number, [&] {
      Random random = draws.of(number);
      return function_->call(element, random);
    });
  }
  void write(const Element& element, const Draws& draws, int64_t number,
             const std::vector<std::byte*>& to) const {
    const auto turn = turn_if_serial();
    call_for_element(*this, number, [&] {
      Random random = draws.of(number);
      function_->write(element, random, to);
    });
  }
  Draws draws(const Opening& opening) const {
    const auto number = static_cast<uint64_t>(opening.stage);
    return args_.seed ? Draws{*args_.seed, opening.pass, number}
                      : Draws{opening.seed, opening.pass, number + opening.part};
  }
  bool is_random() const override { return function_->is_random(); }
  bool serial() const { return args_.num_parallel_calls == 1; }
  void open_setting(const Workers& workers) const {
    if (args_.num_parallel_calls == AUTOTUNE)
      meter().setting.tune(calls, 2 * workers.size(), most_calls_each * workers.size());
  }
  // The number of elements in flight. `by_number`: the functions of previous stages are called,
  // too.
  size_t most(int64_t bytes_each, bool by_number) const {
    const Setting& setting = meter().setting;
    const int64_t allowed = by_number ? calls_at_once(*this, 1) : setting.value.load();
    return static_cast<size_t>(
        setting.automatic() ? ByteAccount::global().affordable(allowed, bytes_each) : allowed);
  }
  // The tuner found that the function costs less than handing elements to other threads.
  bool calls_inline() const { return meter().setting.automatic() && meter().setting.value == 1; }
  // Every rank takes its rows of the same batches.
  bool ordered() const { return args_.deterministic || distribution::size() > 1; }
  bool keeps_order() const override { return serial() || ordered(); }

 private:
  // Several threads may read, e.g. one the training data and another one the validation data.
  std::unique_lock<OneAtATime> turn_if_serial() const {
    return serial() ? std::unique_lock(turns_) : std::unique_lock<OneAtATime>();
  }
  std::optional<ElementSpec> spec_of(const ElementSpec& given) const {
    try {
      return function_->spec(given);
    } catch (Error& error) {
      error.add_where(where());
      throw;
    }
  }

  StageRef before_;
  Function function_;
  MapArgs args_;
  std::optional<ElementSpec> spec_;
  mutable OneAtATime turns_;
};

// Do all elements have the same size, so that each can be written into a row?
bool has_rows(const ElementSpec& spec) {
  return std::ranges::all_of(
      spec.arrays, [](const TensorSpec& array) { return !array.text && array.shape.is_known(); });
}

struct Mapped : Indexed {
  Mapped(const Map& map, const Draws& with, std::shared_ptr<const Indexed> from)
      : stage(map), draws(with), before(std::move(from)), makes(map.spec()) {
    if (makes && !has_rows(*makes)) makes.reset();
  }
  int64_t size() const override { return before->size(); }
  Element at(int64_t i) const override { return stage.call(before->at(i), draws, i); }
  const ElementSpec* writes() const override { return makes ? &*makes : nullptr; }
  void write(int64_t i, const std::vector<std::byte*>& to) const override {
    stage.write(before->at(i), draws, i, to);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    before->add_origins(i, to);
  }
  const Map& stage;
  Draws draws;
  std::shared_ptr<const Indexed> before;
  std::optional<ElementSpec> makes;
};

// Sequential calls, in the reading thread.
struct SerialMap : Cursor {
  SerialMap(const Map& map, const Draws& with, std::unique_ptr<Cursor> from, const Choice& of)
      : stage(map), draws(with), before(std::move(from)), choice(of) {}
  bool next(Element& element) override {
    Element given;
    if (!before->next(given)) return false;
    element = stage.call(given, draws, choice.at(number++));
    return true;
  }
  int64_t skip(int64_t count) override {
    const int64_t done = before->skip(count);
    number += done;
    return done;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
  const Map& stage;
  Draws draws;
  std::unique_ptr<Cursor> before;
  const Choice choice;  // the elements that `before` returns
  int64_t number = 0;
};

// Concurrent calls. The thread that takes the results also requests elements, in order; if they
// have indices, workers read them. A worker gets several cheap elements at once.
class ParallelMap : public Cursor {
 public:
  // For elements with indices, or a cursor; `choice` selects the elements to return.
  ParallelMap(const Map& map, std::shared_ptr<const Indexed> indexed,
              std::unique_ptr<Cursor> cursor, const Choice& choice, const Opening& opening)
      : stage_(map),
        draws_(map.draws(opening)),
        indexed_(std::move(indexed)),
        cursor_(std::move(cursor)),
        choice_(choice),
        held_(map.meter()),
        window_(*opening.workers, map.meter(), 1, map.ordered()) {
    map.open_setting(*opening.workers);
  }

  bool next(Element& element) override {
    if (given_ == group_->size()) {
      const bool here = stage_.calls_inline();  // another thread may change it
      if (here && window_.empty()) return make_here(element);
      if (!take_group(!here)) return false;
    }
    Made& made = (*group_)[given_++];
    --making_;
    if (made.error) std::rethrow_exception(std::exchange(made.error, nullptr));
    element = std::move(made.element);
    bytes_each_ = bytes_of(element);
    held_.set(bytes_each_ * making_);
    return true;
  }
  int64_t skip(int64_t count) override {
    Element dropped;
    int64_t done = 0;
    while (done < count && making_ > 0 && next(dropped)) ++done;
    const int64_t rest =
        indexed_ ? std::min(count - done, indexed_->size() - number_) : cursor_->skip(count - done);
    number_ += rest;
    return done + rest;
  }

 private:
  struct Made {
    int64_t number;
    Element element;
    std::exception_ptr error;
  };
  using Group = std::vector<Made>;

  bool take_group(bool more) {
    const int64_t each = work_size_.elements(most_in_a_group, source_seconds_);
    window_.set_most(stage_.most(bytes_each_ * each, indexed_ != nullptr));
    while (more && !window_.full() && !ended_) add(each);
    if (window_.empty()) return false;
    group_ = window_.take();
    given_ = 0;
    return true;
  }
  // In this thread, as in a sequential map.
  bool make_here(Element& element) {
    if (indexed_) {
      if (number_ >= indexed_->size()) return false;
      element = indexed_->at(number_++);
      return true;
    }
    Element given;
    if (ended_ || !cursor_->next(given)) return false;
    element = stage_.call(given, draws_, choice_.at(number_++));
    return true;
  }
  void add(int64_t elements) {
    auto group = std::make_shared<Group>();
    const auto begun = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < elements && !ended_; ++i) read(*group);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    source_seconds_ = took.count() / static_cast<double>(elements);
    if (group->empty()) return;
    const auto count = static_cast<int64_t>(group->size());
    making_ += count;
    window_.add(std::move(group), [this, count](Group& elements_of_group) {
      work_size_.run(count, [&] {
        for (Made& made : elements_of_group) make(made);
      });
    });
  }
  void read(Group& group) {
    if (indexed_) {
      ended_ = number_ >= indexed_->size();
      if (!ended_) group.push_back({number_++, {}, nullptr});
    } else if (Element element; read_cursor(group, element)) {
      group.push_back({choice_.at(number_++), std::move(element), nullptr});
    }
  }
  // A read error is reported in order; such an element has no index.
  bool read_cursor(Group& group, Element& element) try {
    ended_ = !cursor_->next(element);
    return !ended_;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    group.push_back({-1, {}, std::current_exception()});
    return false;
  }
  void make(Made& made) const try {
    if (made.error) return;
    made.element =
        indexed_ ? indexed_->at(made.number) : stage_.call(made.element, draws_, made.number);
  } catch (...) {
    made.error = std::current_exception();
  }

  static constexpr int64_t most_in_a_group = 64;
  const Map& stage_;
  Draws draws_;
  std::shared_ptr<const Indexed> indexed_;  // the mapped elements …
  std::unique_ptr<Cursor> cursor_;          // or the elements to be mapped
  const Choice choice_;
  int64_t number_ = 0, bytes_each_ = 0, making_ = 0;
  double source_seconds_ = 0;  // for an element of the cursor
  bool ended_ = false;
  WorkSize work_size_;
  std::shared_ptr<Group> group_ = std::make_shared<Group>();  // whose elements are given
  size_t given_ = 0;
  Held held_;
  Window<Group> window_;  // the last member: its jobs use the others
};

// A function that must not run in several threads allows no access by index: several threads would
// read them.
std::shared_ptr<const Indexed> Map::index(const Opening& opening) const {
  if (serial() && !opening.numbers_only) return nullptr;
  auto before = before_->index(one_map_further(opening));
  if (before && !opening.numbers_only) open_setting(*opening.workers);
  return before ? std::make_shared<Mapped>(*this, draws(opening), std::move(before)) : nullptr;
}

std::unique_ptr<Cursor> Map::open(const Opening& opening) const {
  if (serial() || opening.tracks_origins)
    return std::make_unique<SerialMap>(*this, draws(opening),
                                       before_->open(one_map_further(opening)), Choice());
  if (auto indexed = index(opening))
    return std::make_unique<ParallelMap>(*this, std::move(indexed), nullptr, Choice(), opening);
  return open_chosen(opening, {});
}

// Concurrent calls are started before it is known what is skipped next.
std::unique_ptr<Cursor> Map::open_chosen(const Opening& opening, const Choice& choice) const {
  auto before = before_->open_chosen(one_map_further(opening), choice);
  if (serial() || opening.tracks_origins)
    return std::make_unique<SerialMap>(*this, draws(opening), std::move(before), choice);
  return std::make_unique<ParallelMap>(*this, nullptr, std::move(before), choice, opening);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::map_element(std::shared_ptr<const ElementFunction> function, const MapArgs& args,
                             const From& from) const {
  return Dataset(std::make_shared<data::Map>(stage_, std::move(function), args, from));
}

}  // namespace stoker
