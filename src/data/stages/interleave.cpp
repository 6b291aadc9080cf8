#include <fmt/format.h>

#include "data/stage.h"

namespace stoker::data {
namespace {

class Interleave : public Stage {
 public:
  Interleave(StageRef before, std::function<Dataset(const Element&)> function,
             const InterleaveArgs& args, const char* name, const std::source_location& created)
      : Stage(name, created),
        before_(std::move(before)),
        function_(std::move(function)),
        block_(args.block_length) {
    if (args.cycle_length < 1 && args.cycle_length != AUTOTUNE)
      throw InvalidArgument(fmt::format("{}: cycle_length must be positive or AUTOTUNE, got {}.",
                                        where(), args.cycle_length));
    if (block_ < 1)
      throw InvalidArgument(
          fmt::format("{}: block_length must be positive, got {}.", where(), block_));
    cycle_ = args.cycle_length == AUTOTUNE ? Workers::global().size() : args.cycle_length;
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

 private:
  friend class Interleaved;
  StageRef before_;
  std::function<Dataset(const Element&)> function_;
  int64_t cycle_ = 1, block_;
};

// tf.data's order: round-robin over slots, each with a dataset; a slot whose dataset has ended is
// skipped and refilled in the next round.
class Interleaved : public Cursor {
 public:
  Interleaved(const Interleave& stage, const Opening& opening)
      : stage_(stage),
        opening_(opening),
        inputs_(stage.before_->open(opening)),
        places_(static_cast<size_t>(stage.cycle_)) {}

  bool next(Element& element) override {
    for (size_t empty = 0; empty < places_.size();) {
      Place& place = places_[at_];
      if (!place.cursor && !fill(place)) {
        ++empty;
        go_on();
        continue;
      }
      empty = 0;
      if (place.cursor->next(element)) {
        latest_ = place.cursor.get();
        if (++taken_ == stage_.block_) go_on();
        return true;
      }
      place = {};
      go_on();
    }
    return false;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { latest_->add_origins(to); }

 private:
  struct Place {
    std::optional<Dataset> dataset;
    std::unique_ptr<Cursor> cursor;
  };
  bool fill(Place& place) {
    Element input;
    if (ended_ || !inputs_->next(input)) {
      ended_ = true;
      return false;
    }
    Opening inner = opening_;
    // each has its own random numbers
    inner.seed += static_cast<uint64_t>(number_) * 0x9E3779B97F4A7C15u;
    place.dataset = call_for_element(stage_, number_++, [&] { return stage_.function_(input); });
    place.cursor = place.dataset->stage()->open(inner);
    return true;
  }
  void go_on() {
    at_ = (at_ + 1) % places_.size();
    taken_ = 0;
  }

  const Interleave& stage_;
  Opening opening_;
  std::unique_ptr<Cursor> inputs_;
  std::vector<Place> places_;
  const Cursor* latest_ = nullptr;  // source of the last element
  size_t at_ = 0;
  int64_t taken_ = 0, number_ = 0;
  bool ended_ = false;
};

std::unique_ptr<Cursor> Interleave::open(const Opening& opening) const {
  return std::make_unique<Interleaved>(*this, opening);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::interleave_element(ManyFunction function, const InterleaveArgs& args,
                                    const char* name, const From& from) const {
  return Dataset(std::make_shared<data::Interleave>(stage_, std::move(function), args, name, from));
}

}  // namespace stoker
