#pragma once
#include "device/device_clock.h"

namespace stoker::exec {

// The account of a loop of one's own, in the thread that runs it: what compiled functions, single
// ops and train_on_batch do is booked here.
class LoopAccount {
 public:
  LoopAccount();
  ~LoopAccount();
  LoopAccount(const LoopAccount&) = delete;
  LoopAccount& operator=(const LoopAccount&) = delete;
  static LoopAccount* current();  // this thread's innermost; null: there is none

  // Runs something on a device and books the time.
  template <class Run>
  static auto running(const device::Device& device, Run run) {
    LoopAccount* const account = current();
    if (!account) return run();
    account->before_run(device);
    const ledger::Scope scope(account->ledger, ledger::Activity::step);
    const After after{*account};
    return run();
  }
  void step(int64_t samples);
  ledger::RunFacts facts() const;  // so far

  ledger::Ledger ledger;
  device::DeviceClock clock{ledger};

 private:
  struct After {
    LoopAccount& account;
    ~After() { account.clock.after_run(); }
  };
  void before_run(const device::Device& device);

  LoopAccount* outer_;
  std::optional<device::Device> device_;
  int64_t runs_ = 0, steps_ = 0, samples_ = 0;
};

}  // namespace stoker::exec
