#include "nn/training/ranks/agreement.h"

#include "distribution/collectives.h"
#include "stoker/dtype.h"

namespace stoker::nn {

int64_t agree_on_steps(int64_t most) {
  int64_t told[2] = {distribution::rank() == 0 ? most : 0, was_interrupted_here() ? 1 : 0};
  distribution::collectives().all_reduce(told, told, 2, static_cast<int32_t>(DType::int64));
  if (told[1] > 0) agree_on_interrupt();
  return told[0];
}

}  // namespace stoker::nn
