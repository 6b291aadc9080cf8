#include <fmt/format.h>

#include "nn/layers/adaptable.h"
#include "stoker/layers/preprocessing.h"

namespace stoker::layers {

void adapt(const LayerRef& layer, const Array& data) {
  auto* adaptable = dynamic_cast<nn::Adaptable*>(layer.ptr().get());
  if (!adaptable)
    throw InvalidArgument(fmt::format("layer \"{}\" of class {} has nothing to adapt.",
                                      layer->name(), layer->class_name()));
  adaptable->adapt(data);
}

}  // namespace stoker::layers
