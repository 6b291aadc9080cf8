#pragma once
#include <cstdint>

namespace stoker::nn {

// What the ranks decide together before they hand the next steps to their devices: as many of them
// as rank 0 would take, and whether one of the ranks was interrupted. Returns the number of steps.
int64_t agree_on_steps(int64_t most);

// Has this process an interrupt that the other ranks do not know of?
bool was_interrupted_here();
void agree_on_interrupt();  // now they do, and interrupted() says so on all of them

}  // namespace stoker::nn
