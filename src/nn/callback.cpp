#include "stoker/callback.h"

#include "nn/registry.h"

namespace stoker {

CallbackRef make_callback(const Config& config) {
  return nn::Registry<CallbackRef>::instance().make(config, "callback");
}

}  // namespace stoker
