#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/tuning/meter.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::data {

// Sets what the program left to AUTOTUNE. It aims at what the consumer takes, not at the most that
// stages can make: settings begin small, and one at a time grows while the consumer waits. A change
// that gains nothing is taken back; after a long time without waiting one is tried to be less.
class Tuner {
 public:
  struct Tuned {
    std::string stage;  // "map, created train.cpp:41"
    Meter* meter;
  };
  Tuner(std::vector<Tuned> stages, int threads);

  // One more element was taken, for which the consumer waited so long.
  void taken(ledger::Time waited);
  const std::vector<TunerDecision>& decisions() const { return decisions_; }

 private:
  struct Period {
    double rate = 0;      // elements per second
    double waited = 0;    // share of the time
    double stalled = 0;   // … in which stages had too few elements in the making for all threads
    double possible = 0;  // the rate if nobody waited
  };
  struct Candidate {
    size_t stage;
    int64_t value;
    std::string why;
  };
  struct Trial {
    size_t stage;
    int64_t before;
    double rate, stalled;  // before
    bool settled = false;
  };

  void decide(const Period& period);
  void judge(const Period& period);
  std::optional<Candidate> more(const Period& period) const;
  std::optional<Candidate> one_call() const;
  std::optional<Candidate> more_calls(const Period& period) const;
  std::optional<Candidate> more_ahead(const Period& period) const;
  void less();
  void change(const Candidate& to);
  Setting& setting(size_t stage) const { return stages_[stage].meter->setting; }
  bool may_grow(size_t stage) const;
  bool is_cheap(size_t stage) const;
  double work_per_taken(size_t stage) const;  // seconds of one thread
  double stalled_seconds() const;             // of all stages
  bool keeps_up(const Period& period) const;  // could stages make what the consumer could take?

  std::vector<Tuned> stages_;
  std::vector<int64_t> first_;   // values that settings began with; 0: not open yet
  std::vector<int64_t> rests_;   // until this period, as a change gained nothing
  std::vector<bool> tried_one_;  // a single call
  std::vector<int64_t> before_;  // elements that were made before the first was taken
  const int threads_;
  ledger::Time begun_ = 0, period_began_ = 0, waited_ = 0;
  double stalled_before_ = 0;  // this period
  int64_t taken_ = 0, in_period_ = 0, periods_ = 0, quiet_ = 0;
  std::optional<Trial> trial_;
  std::vector<TunerDecision> decisions_;
};

}  // namespace stoker::data
