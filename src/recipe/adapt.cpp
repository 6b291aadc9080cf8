#include <cmath>

#include "nn/functional.h"
#include "nn/layers/preprocessing/adaptable.h"
#include "recipe/parts.h"

namespace stoker::nn {

void adapt_layers(const Model& model, const ValidationData& data, double validation_split) {
  const auto* network = dynamic_cast<const FunctionalNetwork*>(model.network().ptr().get());
  if (!network) return;
  Arrays x = data.x;
  for (Array& input : x)
    input = input.rows(0, static_cast<int64_t>(std::floor(static_cast<double>(input.length()) *
                                                          (1 - validation_split))));
  for (const auto& call : network->calls()) {
    auto* layer = dynamic_cast<Adaptable*>(call->layer.ptr().get());
    if (!layer || !layer->has_yet_to_adapt()) continue;
    Model before({.inputs = network->inputs(), .outputs = {call->inputs[0]}});
    layer->adapt(data.dataset ? before.predict(*data.dataset) : before.predict(x));
  }
}

}  // namespace stoker::nn
