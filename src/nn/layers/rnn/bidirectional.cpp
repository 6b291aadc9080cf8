#include "stoker/layers/bidirectional.h"

#include "graph/emit.h"
#include "nn/layers/rnn/recurrent_layer.h"
#include "nn/saving/network_config.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(BidirectionalArgs& a, V& v) {
  v("merge_mode", a.merge_mode);
  v("layer", a.layer, nn::required);
  v("backward_layer", a.backward_layer);
  nn::visit_layer(a, v);
}

namespace {

bool flag_of(const LayerRef& layer, const char* name) {
  const Config config = layer->get_config();
  const Config* value = config.find(name);
  return value && value->is_bool() && value->as_bool();
}

std::string without(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// A copy of the layer with other arguments and its own weights. Masked steps of a sequence are
// zeros in both directions.
LayerRef again(const LayerRef& layer, const std::string& prefix, bool turn) {
  Config object = nn::serialize_layer(*layer);
  Config& config = object["config"];
  config["name"] = prefix + without(prefix, layer->name());
  if (turn) config["go_backwards"] = true;
  if (config.find("zero_output_for_mask"))
    config["zero_output_for_mask"] = flag_of(layer, "return_sequences");
  return nn::deserialize_layer(object);
}

class BidirectionalLayer : public nn::ArgsLayer<BidirectionalArgs>, public nn::HasStates {
 public:
  BidirectionalLayer(const BidirectionalArgs& args, std::source_location created)
      : ArgsLayer("Bidirectional", args, created) {
    supports_masking = true;
    if (!args.layer.ptr()) fail("needs a layer.");
    const auto& mode = args.merge_mode;
    if (mode && *mode != "sum" && *mode != "mul" && *mode != "ave" && *mode != "concat")
      fail(fmt::format(
          "merge_mode must be \"sum\", \"mul\", \"ave\", \"concat\" or none, got \"{}\".", *mode));
    args_.layer = again(args.layer, "forward_", false);
    const bool given = args.backward_layer.ptr() != nullptr;
    args_.backward_layer =
        given ? again(args.backward_layer, "", false) : again(args.layer, "backward_", true);
    expect_a_pair();
  }

  void build_all(const std::vector<Shape>& inputs) override {
    for (const LayerRef& layer : {args_.layer, args_.backward_layer}) {
      const graph::PathScope path(layer->name());
      layer->build_once({inputs.at(0)});
    }
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    std::vector<Tensor> states(inputs.begin() + 1, inputs.end());
    if (const auto given = args.tensors.find("initial_state"); given != args.tensors.end())
      states = given->second;
    const auto half = static_cast<std::ptrdiff_t>(states.size() / 2);
    auto y = one_way(args_.layer, inputs[0], {states.begin(), states.begin() + half}, args);
    auto back =
        one_way(args_.backward_layer, inputs[0], {states.begin() + half, states.end()}, args);
    if (flag_of(args_.layer, "return_sequences")) back[0] = flipped(back[0]);
    std::vector<Tensor> outputs = merged(y[0], back[0]);
    outputs.insert(outputs.end(), y.begin() + 1, y.end());
    outputs.insert(outputs.end(), back.begin() + 1, back.end());
    return outputs;
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>& masks) override {
    const Tensor mask = flag_of(args_.layer, "return_sequences") ? masks[0] : Tensor();
    return args_.merge_mode ? std::vector{mask} : std::vector{mask, mask};
  }

  std::vector<Sublayer> named_sublayers() const override {
    return {{"forward_layer", args_.layer}, {"backward_layer", args_.backward_layer}};
  }
  CallSignature call_signature() const override {
    return {{"sequences"}, {"initial_state", "mask", "training"}};
  }
  void reset_states() override {
    layers::reset_states(args_.layer);
    layers::reset_states(args_.backward_layer);
  }

 private:
  void expect_a_pair() const {
    if (flag_of(args_.layer, "go_backwards") == flag_of(args_.backward_layer, "go_backwards"))
      fail("its two layers must differ in go_backwards.");
    for (const char* name : {"stateful", "return_sequences", "return_state"})
      if (flag_of(args_.layer, name) != flag_of(args_.backward_layer, name))
        fail(fmt::format("its two layers must have the same {}.", name));
  }

  static std::vector<Tensor> one_way(const LayerRef& layer, const Tensor& x,
                                     const std::vector<Tensor>& states, const CallArgs& args) {
    CallArgs call{.training = args.training};
    if (args.mask(0).defined()) call.tensors["mask"] = {args.mask(0)};
    if (!states.empty()) call.tensors["initial_state"] = states;
    return layer.call_all({x}, call);
  }

  // Back to the input's order of time steps.
  static Tensor flipped(const Tensor& y) { return nn::swapped(nn::reversed(nn::swapped(y))); }

  std::vector<Tensor> merged(const Tensor& a, const Tensor& b) const {
    if (!args_.merge_mode) return {a, b};
    const std::string& mode = *args_.merge_mode;
    if (mode == "concat") return {ops::concatenate({a, b}, -1)};
    if (mode == "mul") return {a * b};
    return {mode == "ave" ? (a + b) / 2.0 : a + b};
  }
};

const nn::RegisterLayer<BidirectionalArgs> registered{"Bidirectional", Bidirectional};

}  // namespace

LayerRef Bidirectional(const BidirectionalArgs& args, std::source_location created) {
  return make_layer<BidirectionalLayer>(args, created);
}

}  // namespace stoker::layers
