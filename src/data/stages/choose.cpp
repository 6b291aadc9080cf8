#include <fmt/format.h>

#include <algorithm>

#include "data/stage.h"

namespace stoker::data {
namespace {

struct Chosen : Indexed {
  Chosen(std::shared_ptr<const Indexed> from, const Choice& which)
      : before(std::move(from)), choice(which) {}
  int64_t size() const override { return choice.of(before->size()); }
  Element at(int64_t i) const override { return before->at(choice.at(i)); }
  std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const override {
    for (int64_t& number : numbers) number = choice.at(number);
    return before->resolve(numbers);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    before->add_origins(choice.at(i), to);
  }
  std::shared_ptr<const Indexed> before;
  Choice choice;
};

struct ChosenInTurn : Cursor {
  // `makes_all`: elements that are skipped are made, too, and those that fail do not count.
  ChosenInTurn(std::unique_ptr<Cursor> from, const Choice& which, bool makes_all = false)
      : before(std::move(from)), choice(which), makes(makes_all) {}
  bool next(Element& element) override {
    if (taken == choice.most || !go_to(choice.at(taken)) || !before->next(element)) return false;
    ++taken, ++place;
    return true;
  }
  int64_t skip(int64_t count) override {
    if (makes || (choice.step != 1 && !choice.rows)) return Cursor::skip(count);
    if (choice.most != -1) count = std::min(count, choice.most - taken);
    if (choice.rows) return taken += count, count;
    if (!go_to(choice.at(taken))) return 0;
    const int64_t done = before->skip(count);
    taken += done, place += done;
    return done;
  }
  bool go_to(int64_t number) {
    for (Element dropped; makes && place < number; ++place)
      if (!before->next(dropped)) return false;
    const int64_t between = number - place, done = before->skip(between);
    place += done;
    return done == between;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
  std::unique_ptr<Cursor> before;
  Choice choice;
  const bool makes;
  int64_t place = 0, taken = 0;  // in the elements before it, and of the selection
};

class Choose : public Stage {
 public:
  Choose(StageRef before, const char* name, const Choice& choice,
         const std::source_location& created)
      : Stage(name, created), before_(std::move(before)), choice_(choice) {}
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override {
    return fmt::format("{} {} {}", choice_.first, choice_.step, choice_.most);
  }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    if (is_finite(elements)) return choice_.of(elements);
    if (choice_.most == 0) return 0;
    return choice_.most > 0 && elements == INFINITE_CARDINALITY ? choice_.most : elements;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    auto before = before_->index(opening);
    return before ? std::make_shared<Chosen>(std::move(before), choice_) : nullptr;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    if (auto all = open_by_number(*this, opening)) return all;
    return before_->open_chosen(opening, choice_);
  }
  bool has_take() const override { return choice_.most != -1 || before_->has_take(); }
  std::unique_ptr<Cursor> open_past_errors(const Opening& opening) const override {
    if (!has_take()) return Stage::open_past_errors(opening);
    return std::make_unique<ChosenInTurn>(before_->open_past_errors(opening), choice_, true);
  }
  std::unique_ptr<Cursor> open_chosen(const Opening& opening, const Choice& choice) const override {
    return before_->open_chosen(opening, choice_.then(choice));
  }

 private:
  StageRef before_;
  Choice choice_;
};

void check_count(int64_t count, const char* name) {
  if (count < -1)
    throw InvalidArgument(fmt::format("{}: count must not be negative, got {}.", name, count),
                          "-1 means all elements.");
}

}  // namespace

// Indices past the maximum mean no element.
Choice Choice::then(const Choice& behind) const {
  constexpr int64_t end = std::numeric_limits<int64_t>::max();
  Choice both{.most = behind.most, .rows = behind.rows};
  if (__builtin_mul_overflow(step, behind.step, &both.step)) both.step = end;
  if (__builtin_mul_overflow(step, behind.first, &both.first) ||
      __builtin_add_overflow(first, both.first, &both.first))
    both.first = end;
  if (most != -1 && !behind.rows) both.most = behind.of(most);
  return both;
}

std::unique_ptr<Cursor> Stage::open_chosen(const Opening& opening, const Choice& choice) const {
  return std::make_unique<ChosenInTurn>(open(opening), choice);
}

}  // namespace stoker::data

namespace stoker {

Dataset Dataset::take(int64_t count, const From& from) const {
  data::check_count(count, "take");
  return Dataset(std::make_shared<data::Choose>(stage_, "take", data::Choice{.most = count}, from));
}

Dataset Dataset::skip(int64_t count, const From& from) const {
  data::check_count(count, "skip");
  const data::Choice choice = count == -1 ? data::Choice{.most = 0} : data::Choice{.first = count};
  return Dataset(std::make_shared<data::Choose>(stage_, "skip", choice, from));
}

Dataset Dataset::shard(int64_t num_shards, int64_t index, const From& from) const {
  if (num_shards < 1 || index < 0 || index >= num_shards)
    throw InvalidArgument(fmt::format("shard: index {} of {} shards.", index, num_shards),
                          "the index counts from 0 and is less than num_shards.");
  return Dataset(std::make_shared<data::Choose>(
      stage_, "shard", data::Choice{.first = index, .step = num_shards}, from));
}

}  // namespace stoker
