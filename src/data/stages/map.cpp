#include <fmt/format.h>

#include <algorithm>

#include "data/stage.h"
#include "data/tuning/byte_account.h"
#include "data/window.h"

namespace stoker::data {
namespace {

constexpr const char* calls = "parallel calls";

using Function = std::shared_ptr<const ElementFunction>;

// Where an opened map takes the random numbers of its elements from.
struct Draws {
  uint64_t seed;
  int64_t pass, stage;
  Random of(int64_t number) const {
    return Random(seed, static_cast<uint64_t>(pass), static_cast<uint64_t>(number),
                  static_cast<uint64_t>(stage));
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
    meter().parallel = !serial();
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
  std::optional<std::string> identity() const override {  // of the function: its place alone
    return fmt::format("{}", args_.seed.value_or(0));
  }

  Element call(const Element& element, const Draws& draws, int64_t number) const {
    return call_for_element(*this, number, [&] {
      Random random = draws.of(number);
      return function_->call(element, random);
    });
  }
  void write(const Element& element, const Draws& draws, int64_t number,
             const std::vector<std::byte*>& to) const {
    call_for_element(*this, number, [&] {
      Random random = draws.of(number);
      function_->write(element, random, to);
    });
  }
  Draws draws(const Opening& opening) const {
    return {args_.seed.value_or(opening.seed), opening.pass, opening.stage};
  }
  bool is_random() const override { return function_->is_random(); }
  bool serial() const { return args_.num_parallel_calls == 1; }
  void open_setting(const Workers& workers) const {
    if (args_.num_parallel_calls == AUTOTUNE)
      meter().setting.tune(calls, 2 * workers.size(), 8 * workers.size());
  }
  // How many elements may be in the making. `by_number`: the functions before it are called, too.
  size_t most(int64_t bytes_each, bool by_number) const {
    const Setting& setting = meter().setting;
    const int64_t allowed = by_number ? calls_at_once(*this, 1) : setting.value.load();
    return static_cast<size_t>(
        setting.automatic() ? ByteAccount::global().affordable(allowed, bytes_each) : allowed);
  }
  bool ordered() const { return args_.deterministic; }
  bool keeps_order() const override { return serial() || ordered(); }

 private:
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
};

// Have all elements the same bytes, so that each can be written into a row?
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

// One call after the other, in the thread that asks.
struct SerialMap : Cursor {
  SerialMap(const Map& map, const Draws& with, std::unique_ptr<Cursor> from, const Choice& of)
      : stage(map), draws(with), before(std::move(from)), choice(of) {}
  bool next(Element& element) override {
    Element given;
    if (!before->next(given)) return false;
    element = stage.call(given, draws, choice.first + number++ * choice.step);
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
  const Choice choice;  // the elements that `before` gives
  int64_t number = 0;
};

// Several calls at a time. Elements are asked for in order by the thread that takes the results;
// where they have numbers, workers read them, too.
class ParallelMap : public Cursor {
 public:
  // Of elements that have numbers, or of a cursor; `choice`: which elements it gives.
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
    window_.set_most(stage_.most(bytes_each_, indexed_ != nullptr));
    while (!window_.full() && !ended_) add();
    if (window_.empty()) return false;
    element = std::move(*window_.take());
    bytes_each_ = bytes_of(element);
    held_.set(bytes_each_ * static_cast<int64_t>(window_.size()));
    return true;
  }
  int64_t skip(int64_t count) override {
    Element dropped;
    int64_t done = 0;
    while (done < count && !window_.empty() && next(dropped)) ++done;
    const int64_t rest =
        indexed_ ? std::min(count - done, indexed_->size() - number_) : cursor_->skip(count - done);
    number_ += rest;
    return done + rest;
  }

 private:
  void add() {
    auto result = std::make_shared<Element>();
    if (indexed_) {
      ended_ = number_ >= indexed_->size();
      if (ended_) return;
      window_.add(result, [this, i = number_++](Element& made) { made = indexed_->at(i); });
    } else {
      ended_ = !cursor_->next(*result);
      if (ended_) return;
      const int64_t number = choice_.first + number_++ * choice_.step;
      window_.add(result,
                  [this, number](Element& made) { made = stage_.call(made, draws_, number); });
    }
  }

  const Map& stage_;
  Draws draws_;
  std::shared_ptr<const Indexed> indexed_;  // the mapped elements …
  std::unique_ptr<Cursor> cursor_;          // … or those to map
  const Choice choice_;
  int64_t number_ = 0, bytes_each_ = 0;
  bool ended_ = false;
  Held held_;
  Window<Element> window_;  // the last member: its jobs use the others
};

// A function that must not run in several threads has no elements by number: they would be read by
// all of them.
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

// Several calls at a time are begun before it is known what is skipped next.
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
