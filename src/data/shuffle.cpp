#include "data/shuffle.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/philox.h"
#include "core/thread_pool.h"

namespace stoker::data {

namespace {

// Fisher-Yates: several threads draw the positions to swap with, one thread swaps. A 64-bit random
// number is scaled to [0, i) without a modulo; its bias is negligible below 2^32 samples.
void permute_by(int threads, std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  std::iota(order.begin(), order.end(), int64_t{0});
  constexpr size_t most_kept = 65536;  // any of many threads may be the one that permutes
  thread_local std::vector<uint64_t> kept;
  std::unique_ptr<uint64_t[]> large;
  if (order.size() < most_kept)
    kept.resize(std::max(kept.size(), order.size() + 1));
  else
    large = std::make_unique_for_overwrite<uint64_t[]>(order.size() + 1);
  uint64_t* const others = large ? large.get() : kept.data();  // filled by several threads
  const Philox random{seed};
  share_out(static_cast<int64_t>(order.size()), threads, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<uint64_t>(begin) + 1; i <= static_cast<uint64_t>(end); ++i) {
      const auto words = random(i, static_cast<uint64_t>(epoch));
      others[i] = (words[0] * i + ((words[1] * i) >> 32)) >> 32;
    }
  });
  for (uint64_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[others[i]]);
}

}  // namespace

void permute(std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  constexpr int64_t grain = 4096;
  const int64_t grains = static_cast<int64_t>(order.size()) / grain;
  permute_by(worthwhile_threads(grains, ThreadPool::global().size()), order, seed, epoch);
}

void permute_alone(std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  permute_by(1, order, seed, epoch);
}

}  // namespace stoker::data
