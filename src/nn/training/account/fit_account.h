#pragma once
#include "nn/training/account/run_account.h"
#include "nn/training/fit_setup.h"
#include "nn/training/logs/live_view.h"
#include "nn/training/ranks/rank_clock.h"

namespace stoker::nn {

// Reports the time of a fit, during the run and at its end.
class FitAccount {
 public:
  struct Of {
    Model& model;
    const FitArgs& args;
    Session& session;
    FitSetup& setup;
    const StepLoop& loop;
    const CallbackList& callbacks;
    const RankClock& ranks;
  };
  explicit FitAccount(const Of& of) : of_(of) {}

  void between_steps();  // periodic work, once a second
  void publish();        // to readers of the account of a running fit, at once
  ledger::RunFacts so_far() const { return facts_at(ledger::now()); }
  std::string waits() const;  // for the end of the progress line
  std::string live(int64_t epoch, int64_t done, int64_t steps, const Logs& logs);

  // Reads the machine's load; asking NVML takes some milliseconds, which belong to the run.
  void read_load();
  // After the ledger has stopped.
  ledger::RunFacts whole() const;
  // "12.3 s = …; 100 steps of 3.1 us, 5000 samples/s; map (train.cpp:41) limits you to …"
  std::string line(const ledger::RunFacts& facts) const;
  // The first screen; a short run prints only its one line.
  static std::string screen(const ledger::RunFacts& facts);

 private:
  static constexpr ledger::Time second = 1'000'000'000;
  static constexpr ledger::Time nearly_a_second = 900'000'000;  // what it writes takes time, too
  ledger::RunFacts facts_at(ledger::Time now) const;

  Of of_;
  LoadWatch watch_;
  ledger::HostLoad load_;  // of the whole run
  LiveView live_;
  ledger::Time last_second_ = ledger::now();
};

}  // namespace stoker::nn
