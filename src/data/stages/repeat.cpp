#include <fmt/format.h>

#include <array>
#include <mutex>

#include "data/stage.h"

namespace stoker::data {
namespace {

class Repeat : public Stage {
 public:
  Repeat(StageRef before, int64_t count, const std::source_location& created)
      : Stage("repeat", created), before_(std::move(before)), count_(count) {
    if (count_ < -1)
      throw InvalidArgument(fmt::format("{}: count must not be negative, got {}.", where(), count_),
                            "-1 repeats for ever.");
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    if (elements == 0 || count_ == 0) return 0;
    if (count_ == -1) return INFINITE_CARDINALITY;
    return is_finite(elements) ? product_of(elements, count_) : elements;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override;
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  bool has_take() const override { return before_->has_take(); }
  std::unique_ptr<Cursor> open_past_errors(const Opening& opening) const override;

  const Stage& before() const { return *before_; }
  int64_t count() const { return count_; }
  // For the k-th repetition within this pass: all differ.
  Opening round(const Opening& opening, int64_t k) const {
    Opening inner = opening;
    const auto pass = static_cast<uint64_t>(opening.pass), round = static_cast<uint64_t>(k);
    inner.pass = static_cast<int64_t>(count_ == -1 ? (pass << 32) + round
                                                   : pass * static_cast<uint64_t>(count_) + round);
    return inner;
  }

 private:
  StageRef before_;
  int64_t count_;
};

class Rounds : public Indexed {
 public:
  Rounds(const Repeat& stage, const Opening& opening, std::shared_ptr<const Indexed> first)
      : stage_(stage), opening_(opening), each_(first->size()) {
    kept_[0] = {0, std::move(first)};
  }
  int64_t size() const override {
    return stage_.count() == -1 ? std::numeric_limits<int64_t>::max()
                                : product_of(each_, stage_.count());
  }
  Element at(int64_t i) const override { return round(i / each_)->at(i % each_); }
  std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const override {
    const int64_t k = numbers[0] / each_;
    for (int64_t& number : numbers) {
      number -= k * each_;
      if (number < 0 || number >= each_) return nullptr;
    }
    return round(k)->resolve(numbers);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    round(i / each_)->add_origins(i % each_, to);
  }

 private:
  std::shared_ptr<const Indexed> round(int64_t k) const {
    const std::lock_guard lock(mutex_);
    auto& [number, round] = kept_[static_cast<size_t>(k) % kept_.size()];
    if (number != k) {
      round = stage_.before().index(stage_.round(opening_, k));
      number = k;
    }
    return round;
  }

  const Repeat& stage_;
  Opening opening_;
  int64_t each_;
  mutable std::mutex mutex_;
  mutable std::array<std::pair<int64_t, std::shared_ptr<const Indexed>>, 4> kept_;
};

struct Repeated : Cursor {
  Repeated(const Repeat& of, const Opening& with, bool past_errors)
      : stage(of), opening(with), past(past_errors) {}
  bool next(Element& element) override {
    while (have_round()) {
      if (cursor->next(element)) {
        any = true;
        return true;
      }
      if (!end_round()) return false;
    }
    return false;
  }
  int64_t skip(int64_t count) override {
    int64_t done = 0;
    while (done < count && have_round()) {
      const int64_t here = cursor->skip(count - done);
      done += here;
      any = any || here > 0;
      if (done < count && !end_round()) break;
    }
    return done;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { cursor->add_origins(to); }
  bool have_round() {
    if (round == stage.count()) return false;
    if (cursor) return true;
    const Opening inner = stage.round(opening, round);
    cursor = past ? stage.before().open_past_errors(inner) : stage.before().open(inner);
    return true;
  }
  // False: that was the last round. As in tf.data, an empty round is the last one if the number of
  // rounds is infinite; otherwise a later round may have elements.
  bool end_round() {
    const bool was_empty = !std::exchange(any, false);
    if (was_empty && (stage.count() == -1 || stage.before().cardinality() == 0)) return false;
    cursor.reset();
    ++round;
    return true;
  }
  const Repeat& stage;
  Opening opening;
  const bool past;
  std::unique_ptr<Cursor> cursor;
  int64_t round = 0;
  bool any = false;  // was there an element in this round?
};

std::shared_ptr<const Indexed> Repeat::index(const Opening& opening) const {
  auto first = before_->index(round(opening, 0));
  if (!first || first->size() == 0) return count_ == 0 ? nullptr : first;
  return std::make_shared<Rounds>(*this, opening, std::move(first));
}

std::unique_ptr<Cursor> Repeat::open(const Opening& opening) const {
  if (auto all = open_by_number(*this, opening)) return all;
  return std::make_unique<Repeated>(*this, opening, false);
}

std::unique_ptr<Cursor> Repeat::open_past_errors(const Opening& opening) const {
  if (!has_take()) return Stage::open_past_errors(opening);
  return std::make_unique<Repeated>(*this, opening, true);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::repeat(int64_t count, const From& from) const {
  return Dataset(std::make_shared<data::Repeat>(stage_, count, from));
}

}  // namespace stoker
