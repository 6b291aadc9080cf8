#pragma once
#include <cstdint>

namespace stoker::nn {

// Agreement of all ranks before the next launch: the number of steps, as rank 0 would choose, and
// whether a rank was interrupted. Returns the number of steps.
int64_t agree_on_steps(int64_t most);

// Does this process have an interrupt that the other ranks do not know of?
bool was_interrupted_here();
void agree_on_interrupt();  // afterwards interrupted() is true on all ranks

}  // namespace stoker::nn
