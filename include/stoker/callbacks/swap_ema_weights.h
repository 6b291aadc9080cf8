#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

struct SwapEMAWeightsArgs {
  // keep the averages in the model from the end of an epoch to the start of the next
  bool swap_on_epoch = false;
};
// Evaluates and predicts with the exponential moving averages of an optimizer with use_ema. Put it
// before a ModelCheckpoint that should save them.
CallbackRef SwapEMAWeights(const SwapEMAWeightsArgs& args = {});

}  // namespace stoker::callbacks
