#include <fmt/format.h>

#include "nn/layers/preprocessing/adaptable.h"
#include "stoker/layers/preprocessing.h"

namespace stoker::layers {

void adapt(const LayerRef& layer, const Array& data) {
  auto* adaptable = dynamic_cast<nn::Adaptable*>(layer.ptr().get());
  if (!adaptable)
    throw InvalidArgument(fmt::format("layer \"{}\" of class {} has nothing to adapt.",
                                      layer->name(), layer->class_name()));
  const bool wanted = adaptable->adapts_to_strings();
  const auto kind = [](bool strings) { return strings ? "strings" : "numbers"; };
  if (data.holds_strings() != wanted)
    throw InvalidArgument(
        fmt::format("layer \"{}\" of class {} adapts to {}, but the array of shape {} holds {}.",
                    layer->name(), layer->class_name(), kind(wanted), to_string(data.shape()),
                    kind(!wanted)),
        wanted ? "convert it to strings first (numpy: x.astype('str'))."
               : "convert it to numbers first (numpy: x.astype('float32')).");
  adaptable->adapt(data);
}

}  // namespace stoker::layers
