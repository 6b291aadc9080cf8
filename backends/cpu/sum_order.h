#pragma once

namespace stoker::cpu {

// The number of parts into which a parallel sum is divided, for kernels planned from now on. 0: as
// many as threads, so that the last bits depend on their number.
int sum_shares();
void set_fixed_sum_order(bool fixed);

}  // namespace stoker::cpu
