#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

// Ends training at the first batch whose loss is NaN or infinite.
CallbackRef TerminateOnNaN();

}  // namespace stoker::callbacks
