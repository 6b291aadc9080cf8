#pragma once
#include <functional>

#include "nn/functional.h"

namespace stoker::nn {

// The origin of a symbolic tensor: Keras's keras_history.
struct TensorOrigin {
  std::string layer;
  size_t node = 0, tensor = 0;
};
TensorOrigin origin_from(const Config& config);  // [layer, node, tensor]

// Reads an entry of inbound_nodes, in Keras 3's or Keras 2's form. Nothing if find() does not know
// one of the tensors yet and returns an undefined one.
std::optional<CallArguments> read_call_arguments(
    const Config& node, const std::function<Tensor(const TensorOrigin&)>& find);
// The inverse; origin_of() returns a tensor's origin.
Config write_call_arguments(const CallArguments& form,
                            const std::function<TensorOrigin(const SpecTensor&)>& origin_of);

CallArguments form_of(const CallNode& call);
bool is_call_tensor(const Config& value);  // {class_name: "__keras_tensor__", …}
Config call_tensor(size_t number);         // the same for a tensor of the arguments
bool is_call_array(const Config& value);   // a constant's {class_name: "__tensor__", …}

struct LayerCall {
  std::vector<Tensor> inputs;
  CallArgs args;
};
// The layer's call_signature() determines which arguments are inputs.
LayerCall call_of(const CallArguments& form, const Layer& layer);
// Calls the layer with these arguments; the resulting tensors keep them.
std::vector<Tensor> describe_form(const LayerRef& layer, const CallArguments& form);
// Throws InvalidArgument for an argument that the layer does not accept.
void check_call(const Config& node, const Layer& layer);

}  // namespace stoker::nn
