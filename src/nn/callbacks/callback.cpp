#include "stoker/callback.h"

#include "nn/config/registry.h"

namespace stoker {

CallbackRef make_callback(const Config& config) {
  if (nn::parse_object(config).class_name == "RemoteMonitor")
    throw Unsupported("RemoteMonitor is not supported: training sends nothing over the network.",
                      "CSVLogger and TensorBoard write files that another program can send.");
  return nn::Registry<CallbackRef>::instance().make(config, "callback");
}

}  // namespace stoker
