#pragma once
#include <functional>

#include "nn/functional.h"

namespace stoker::nn {

// Where a tensor of a description comes from: Keras's keras_history.
struct TensorOrigin {
  std::string layer;
  size_t node = 0, tensor = 0;
};
TensorOrigin origin_from(const Config& config);  // [layer, node, tensor]

// An entry of inbound_nodes, in Keras 3's form or in Keras 2's. Nothing if find() does not know one
// of the tensors yet and gives an undefined one.
std::optional<CallForm> read_call_form(const Config& node,
                                       const std::function<Tensor(const TensorOrigin&)>& find);
// The other way; origin_of() tells where a tensor comes from.
Config write_call_form(const CallForm& form,
                       const std::function<TensorOrigin(const SpecTensor&)>& origin_of);

CallForm form_of(const CallNode& call);
bool is_call_tensor(const Config& value);  // {class_name: "__keras_tensor__", …}
Config call_tensor(size_t number);         // that, of a form's tensor
bool is_call_array(const Config& value);   // a constant's {class_name: "__tensor__", …}

struct LayerCall {
  std::vector<Tensor> inputs;
  CallArgs args;
};
// Which of the arguments are inputs is said by the layer's call_signature().
LayerCall call_of(const CallForm& form, const Layer& layer);
// Calls the layer so; the tensors that come out remember the form.
std::vector<Tensor> describe_form(const LayerRef& layer, const CallForm& form);
// Throws InvalidArgument for an argument that the layer does not take.
void check_call(const Config& node, const Layer& layer);

}  // namespace stoker::nn
