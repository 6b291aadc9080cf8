#include "ledger/run_facts.h"

namespace stoker::ledger {

double samples_per_second(const RunFacts& facts) {
  constexpr auto validation = static_cast<size_t>(Activity::validation);
  const Time looping = facts.wall - facts.wall_before - facts.host[validation];
  if (facts.steps == 0 || looping <= 0) return 0;
  return static_cast<double>(facts.samples) / (static_cast<double>(looping) * 1e-9);
}

}  // namespace stoker::ledger
