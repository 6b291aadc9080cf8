#pragma once
#include "stoker/run_record.h"

namespace stoker::report {

// Downsamples a curve to at most so many points: minimum and maximum of each part, the first and
// the last. `most` is at least 4.
void downsample(RunRecord::Curve& curve, size_t most);

}  // namespace stoker::report
