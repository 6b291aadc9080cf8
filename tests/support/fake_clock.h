#pragma once
#include "ledger/ledger.h"

namespace stoker::testing {

// While it lives the ledger's clock is stopped and advances only by command.
class FakeClock {
 public:
  FakeClock() : real_(ledger::clock.exchange([] { return time().load(); })) {}
  ~FakeClock() { ledger::clock = real_; }
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;
  static void pass(ledger::Time nanoseconds) { time() += nanoseconds; }

 private:
  static std::atomic<ledger::Time>& time() {
    static std::atomic<ledger::Time> now{0};
    return now;
  }
  ledger::Clock real_;
};

}  // namespace stoker::testing
