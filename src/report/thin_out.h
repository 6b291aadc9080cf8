#pragma once
#include "stoker/run_record.h"

namespace stoker::report {

// Leaves at most so many points of a curve: the lowest and the highest of each part of it, the
// first and the last. `most` is at least 4.
void thin_out(RunRecord::Curve& curve, size_t most);

}  // namespace stoker::report
