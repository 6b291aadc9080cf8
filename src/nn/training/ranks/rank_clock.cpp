#include "nn/training/ranks/rank_clock.h"

#include <algorithm>

#include "distribution/collectives.h"

namespace stoker::nn {

void RankClock::start() {
  if (ranks_ < 2 || !distribution::collectives().call_times) return;
  const StokerCallTimes now = distribution::collectives().call_times(1);
  inside_ = now.inside;
  waited_ = now.waited;
  begun_.assign(now.waited_for, now.waited_for + ranks_);
  for_rank_.resize(begun_.size());
  running_ = true;
}

void RankClock::stop() {
  if (!running_) return;
  const StokerCallTimes now = distribution::collectives().call_times(1);
  all_inside_ += now.inside - inside_;
  all_waited_ += now.waited - waited_;
  for (size_t rank = 0; rank < begun_.size(); ++rank)
    for_rank_[rank] += now.waited_for[rank] - begun_[rank];
  running_ = false;
}

ledger::Ranks RankClock::found() const {
  ledger::Time inside = all_inside_, waited = all_waited_;
  if (running_) {
    const StokerCallTimes now = distribution::collectives().call_times(0);
    inside += now.inside - inside_;
    waited += now.waited - waited_;
  }
  ledger::Ranks ranks{.count = ranks_, .communication = inside - waited, .imbalance = waited};
  const auto most = std::ranges::max_element(for_rank_);
  if (most == for_rank_.end() || *most <= 0) return ranks;
  ranks.late = static_cast<int32_t>(most - for_rank_.begin());
  ranks.for_late = *most;
  return ranks;
}

}  // namespace stoker::nn
