#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/tuning/meter.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::data {

// Sets the parameters that the program left to AUTOTUNE. It aims at the consumer's rate, not at the
// maximum rate of the stages: settings start small, and one at a time is increased while the
// consumer waits. A change without effect is reverted; after a long time without waiting a
// reduction is tried.
class Tuner {
 public:
  struct Tuned {
    std::string stage;  // "map, created train.cpp:41"
    Meter* meter;
  };
  Tuner(std::vector<Tuned> stages, int threads);

  // Another element was taken, for which the consumer waited so long.
  void taken(ledger::Time waited);
  const std::vector<TunerDecision>& decisions() const { return decisions_; }

 private:
  struct Period {
    double rate = 0;      // elements per second
    double waited = 0;    // fraction of the time
    double stalled = 0;   // during which stages had too few elements in flight for all threads
    double possible = 0;  // the rate if the consumer never waited
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
  // could the stages make as many elements as the consumer could take?
  bool keeps_up(const Period& period) const;

  std::vector<Tuned> stages_;
  std::vector<int64_t> first_;   // initial values of settings; 0: not open yet
  std::vector<int64_t> rests_;   // no change before this period, after one without effect
  std::vector<int64_t> before_;  // elements made before the first was taken
  const int threads_;
  ledger::Time begun_ = 0, period_began_ = 0, waited_ = 0;
  double stalled_before_ = 0;  // this period
  int64_t taken_ = 0, in_period_ = 0, periods_ = 0, quiet_ = 0;
  std::optional<Trial> trial_;
  std::vector<TunerDecision> decisions_;
};

}  // namespace stoker::data
