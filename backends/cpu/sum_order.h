#pragma once

namespace stoker::cpu {

// The parts into which a sum that several threads share is cut, for kernels planned from now on.
// 0: as many as there are threads, so that the last bits follow their number.
int sum_shares();
void set_fixed_sum_order(bool fixed);

}  // namespace stoker::cpu
