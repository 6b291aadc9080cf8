#pragma once
#include "core/host_call.h"
#include "device/device_clock.h"
#include "ledger/loop_input.h"

namespace stoker {
struct Headroom;
}

namespace stoker::exec {

ledger::Probe probe_of(const Headroom& tried);

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
    ledger::Scope scope(account->ledger, ledger::Activity::step);
    const After after{*account, scope, host_call_nanoseconds()};
    return run();
  }
  void ran_on(const device::Device& device);  // counts as a run
  void step(int64_t samples);
  void stop();                     // the loop has ended
  ledger::RunFacts facts() const;  // so far, or until stop()

  ledger::Ledger ledger;
  device::DeviceClock clock{ledger};

 private:
  struct After {
    LoopAccount& account;
    ledger::Scope& booked;
    ledger::Time called;  // by functions on the host, before this run
    ~After() {
      account.clock.after_run();
      booked.ends_with(ledger::Activity::host_calls, host_call_nanoseconds() - called);
    }
  };
  void before_run(const device::Device& device);

  static void book_in_innermost();
  void leave();  // the thread books elsewhere from here on
  ledger::RunFacts facts_at(ledger::Time now) const;

  LoopAccount* outer_;
  bool left_ = false;
  ledger::LoopInputs inputs_;
  std::optional<ledger::RunFacts> at_stop_;
  std::optional<device::Device> device_;
  int64_t runs_ = 0, steps_ = 0, samples_ = 0;
};

}  // namespace stoker::exec
