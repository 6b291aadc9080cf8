#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

struct SwapEMAWeightsArgs {
  bool swap_on_epoch = false;  // averages stay in the model from an epoch's end to the next's begin
};
// Evaluates and predicts with the moving averages of an optimizer made with use_ema. Put it before
// a ModelCheckpoint that is to save them.
CallbackRef SwapEMAWeights(const SwapEMAWeightsArgs& args = {});

}  // namespace stoker::callbacks
