#include <fmt/format.h>

#include "data/parts.h"
#include "data/stages/read_ahead.h"
#include "distribution/collectives.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

// The order of elements depends on it: it must be the same on all machines.
constexpr int64_t automatic_cycle = 16;
constexpr int64_t most_automatic_threads = 64;
// Of groups that a dataset is ahead: at first, and at most.
constexpr int64_t first_ahead = 2, most_ahead = 32;

class Interleave : public Stage {
 public:
  Interleave(StageRef before, std::function<Dataset(const Element&)> function,
             const InterleaveArgs& args, const char* name, const std::source_location& created)
      : Stage(name, created),
        before_(std::move(before)),
        function_(std::move(function)),
        args_(args) {
    if (args.cycle_length < 1 && args.cycle_length != AUTOTUNE)
      throw InvalidArgument(fmt::format("{}: cycle_length must be positive or AUTOTUNE, got {}.",
                                        where(), args.cycle_length));
    if (args.block_length < 1)
      throw InvalidArgument(
          fmt::format("{}: block_length must be positive, got {}.", where(), args.block_length));
    if (args.num_parallel_calls < 0 && args.num_parallel_calls != AUTOTUNE)
      throw InvalidArgument(
          fmt::format("{}: num_parallel_calls must be positive, AUTOTUNE or 0, got {}.", where(),
                      args.num_parallel_calls));
    if (args_.cycle_length == AUTOTUNE) args_.cycle_length = automatic_cycle;
    if (reads_ahead()) meter().setting.tune("groups ahead", first_ahead, most_ahead);
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  bool keeps_order() const override { return !reads_ahead() || ordered(); }

 private:
  friend class Interleaved;
  Dataset dataset_of(const Element& input, int64_t number) const {
    const std::unique_lock turn(turns_);
    return call_for_element(*this, number, [&] { return function_(input); });
  }
  bool reads_ahead() const { return args_.num_parallel_calls != 0; }
  int64_t most_threads() const {
    const int64_t calls = args_.num_parallel_calls;
    return calls == AUTOTUNE ? std::min(args_.cycle_length, most_automatic_threads) : calls;
  }
  // Every rank takes its rows of the same batches.
  bool ordered() const { return args_.deterministic || distribution::size() > 1; }
  StageRef before_;
  std::function<Dataset(const Element&)> function_;
  mutable OneAtATime turns_;  // several threads may read
  InterleaveArgs args_;
};

// tf.data's order: round-robin over slots, each with a dataset; a slot whose dataset has ended is
// skipped and refilled in the next round.
class Interleaved : public Cursor {
 public:
  Interleaved(const Interleave& stage, const Opening& opening)
      : stage_(stage),
        opening_(opening),
        ahead_(stage.reads_ahead() && !opening.tracks_origins),
        ordered_(stage.ordered()),
        inputs_(stage.before_->open(opening)),
        places_(static_cast<size_t>(stage.args_.cycle_length)),
        vacant_(places_.size()) {
    if (ahead_) threads_.emplace(stage.meter(), stage.most_threads(), stage.args_.cycle_length);
  }
  ~Interleaved() override { threads_.reset(); }  // before the datasets that they read

  bool next(Element& element) override {
    for (size_t empty = 0; empty < places_.size();) {
      if (ahead_) fill_ahead();
      if (ahead_ && !ordered_) go_to_ready();
      Place& place = places_[at_];
      if (place.error) std::rethrow_exception(std::exchange(place.error, nullptr));
      if (!place.cursor && !fill(place)) {
        ++empty;
        go_on();
        continue;
      }
      empty = 0;
      if (place.cursor->next(element)) {
        latest_ = place.cursor.get();
        if (++taken_ == stage_.args_.block_length) go_on();
        return true;
      }
      clear(place);
      go_on();
    }
    return false;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { latest_->add_origins(to); }

 private:
  struct Place {
    std::optional<Dataset> dataset;
    std::unique_ptr<Cursor> cursor;
    ReadAhead* ahead = nullptr;  // the cursor, if it reads ahead
    std::exception_ptr error;    // to be thrown in its turn
  };
  bool fill(Place& place) {
    Element input;
    if (ended_ || !inputs_->next(input)) {
      ended_ = true;
      return false;
    }
    Opening inner = opening_;
    inner.seed = seed_of_inner(opening_.seed, number_);
    place.dataset = stage_.dataset_of(input, number_++);
    place.cursor = place.dataset->stage()->open(inner);
    --vacant_;
    if (!ahead_) return true;
    auto reading = std::make_unique<ReadAhead>(std::move(place.cursor), *threads_);
    place.ahead = reading.get();
    place.cursor = std::move(reading);
    return true;
  }
  void clear(Place& place) {
    place.ahead = nullptr;
    place.cursor.reset();  // before the dataset, whose stages it uses
    place.dataset.reset();
    ++vacant_;
  }
  // Fills the slots in the order of their turns, as without reading ahead.
  void fill_ahead() {
    for (size_t i = 0; i < places_.size() && vacant_ > 0 && !ended_; ++i) {
      Place& place = places_[(at_ + i) % places_.size()];
      if (!place.cursor && (place.error || !try_fill(place))) return;
    }
  }
  bool try_fill(Place& place) try { return fill(place); } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    place.error = std::current_exception();
    return false;
  }
  // The next slot whose element is ready, if any.
  void go_to_ready() {
    for (size_t i = 0; i < places_.size(); ++i) {
      const size_t at = (at_ + i) % places_.size();
      if (!places_[at].ahead || !places_[at].ahead->ready()) continue;
      if (i > 0) taken_ = 0;
      at_ = at;
      return;
    }
  }
  void go_on() {
    at_ = (at_ + 1) % places_.size();
    taken_ = 0;
  }

  const Interleave& stage_;
  Opening opening_;
  const bool ahead_, ordered_;
  std::optional<ReaderThreads> threads_;
  std::unique_ptr<Cursor> inputs_;
  std::vector<Place> places_;
  const Cursor* latest_ = nullptr;  // source of the last element
  size_t at_ = 0, vacant_;          // vacant_: slots without a dataset
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
