#include "sum_order.h"

#include <atomic>

namespace stoker::cpu {
namespace {
constexpr int fixed_shares = 4;  // enough for small machines, and few partial sums
std::atomic<int> shares = 0;
}  // namespace

int sum_shares() { return shares; }
void set_fixed_sum_order(bool fixed) { shares = fixed ? fixed_shares : 0; }

}  // namespace stoker::cpu
