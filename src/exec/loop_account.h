#pragma once
#include <functional>

#include "core/host_call.h"
#include "device/device_clock.h"

namespace stoker::exec {

// The account of a user's own training loop, in the thread that runs it: compiled functions, single
// ops and train_on_batch book their time here.
class LoopAccount {
 public:
  LoopAccount();
  ~LoopAccount();
  LoopAccount(const LoopAccount&) = delete;
  LoopAccount& operator=(const LoopAccount&) = delete;
  static LoopAccount* current();  // this thread's innermost; null: none

  // Runs something on a device and books its time.
  template <class Run>
  static auto running(const device::Device& device, Run run) {
    LoopAccount* const account = current();
    if (!account) return run();
    account->before_run(device);
    const ledger::Scope scope(account->ledger, ledger::Activity::step);
    const After after{*account, host_call_nanoseconds()};
    return run();
  }
  void step(int64_t samples);
  void stop();                     // the loop has ended
  ledger::RunFacts facts() const;  // so far, or until stop()

  ledger::Ledger ledger;
  device::DeviceClock clock{ledger};

 private:
  struct After {
    LoopAccount& account;
    ledger::Time called;  // by functions on the host, before this run
    ~After() {
      account.clock.after_run();
      account.called_ += host_call_nanoseconds() - called;
    }
  };
  void before_run(const device::Device& device);

  void leave();  // the thread books elsewhere from here on
  ledger::RunFacts facts_at(ledger::Time now) const;

  LoopAccount* outer_;
  bool left_ = false;
  std::function<PipelineStatistics()> outer_input_;
  std::optional<ledger::RunFacts> at_stop_;
  std::optional<device::Device> device_;
  int64_t runs_ = 0, steps_ = 0, samples_ = 0;
  ledger::Time called_ = 0;  // functions on the host inside runs, which are booked as steps
};

}  // namespace stoker::exec
