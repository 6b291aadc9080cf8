#include "nn/layers/preprocessing/adapt.h"

#include <cmath>

#include "nn/functional.h"
#include "recipe/parts.h"

namespace stoker::nn {
namespace {

Arrays trained_on(const Arrays& x, double validation_split) {
  Arrays rows = x;
  for (Array& input : rows)
    input = input.rows(0, static_cast<int64_t>(std::floor(static_cast<double>(input.length()) *
                                                          (1 - validation_split))));
  return rows;
}

}  // namespace

void adapt_layers(const Model& model, const ValidationData& data, double validation_split) {
  const auto* network = dynamic_cast<const FunctionalNetwork*>(model.network().ptr().get());
  if (!network) return;
  const Arrays x = trained_on(data.x, validation_split);
  for (const auto& call : network->calls()) {
    auto* layer = dynamic_cast<Adaptable*>(call->layer.ptr().get());
    if (!layer || !layer->has_yet_to_adapt()) continue;
    Model before({.inputs = network->inputs(), .outputs = {call->inputs[0]}});
    if (data.dataset)
      adapt_over(*layer, *data.dataset, [&](const Element& batch) {
        return before.predict(Dataset::from_tensors(batch));
      });
    else
      layer->adapt(before.predict(x));
  }
}

}  // namespace stoker::nn
