#include "differential/keras_page.h"
#include "differential/kind.h"
#include "graph/trace.h"
#include "nn/operations/operation.h"
#include "nn/saving/network_config.h"
#include "nn/training/step_losses.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/layer.h"
#include "stoker/layers/lookup.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/optimizers.h"

namespace stoker::differential {
namespace {

constexpr int steps = 3;

// One case: the layer with Keras's weights, and its arguments.
class LayerCase {
 public:
  LayerCase(const Family& family, const Config& record)
      : family_(family),
        record_(record),
        inputs_(family.list(record, "inputs")),
        cotangents_(family.list(record, "cotangents")),
        has_gradients_(record.find("weights_after") != nullptr) {}

  void expect_eager() {
    const LayerRef layer = make();
    const std::vector<Tensor> inputs(inputs_.begin(), inputs_.end());
    const nn::StepLosses losses;
    GradientTape tape;
    const auto outputs = call(layer, inputs);
    const Tensor total = sum_up(layer, outputs);
    expect_outputs(outputs);
    expect_masks(outputs);
    if (!has_gradients_) return;
    const auto gradients = tape.gradient(total, inputs);
    const auto wanted = family_.list(record_, "input_gradients");
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(is_gradient(gradients[i], wanted[i], layer->compute_dtype()))
          << "gradient of input " << i;
  }

  std::set<std::string> ops() {
    graph::Trace trace;
    const graph::EmitterScope scope(trace);
    const LayerRef layer = make();
    std::vector<Tensor> inputs;
    for (const Array& input : inputs_) inputs.push_back(trace.input(input.type()));
    const nn::StepLosses losses;
    GradientTape tape;
    const auto outputs = call(layer, inputs);
    const Tensor total = sum_up(layer, outputs);
    if (total.defined() && has_gradients_) tape.gradient(total, layer->trainable_variables());
    std::set<std::string> names;
    for (const auto& node : trace.graph().nodes) names.insert(node.op->name);
    return names;
  }

  void expect_compiled() {
    const LayerRef layer = make();
    const auto optimizer = optimizers::SGD({.learning_rate = record_.find("rate")->as_double()});
    const detail::TracedFunction step([&](const std::vector<Tensor>& inputs) {
      const nn::StepLosses losses;
      GradientTape tape;
      const auto outputs = call(layer, inputs);
      const Tensor total = sum_up(layer, outputs);
      if (has_gradients_) train(tape, total, layer, *optimizer);
      return outputs;
    });
    const std::vector<detail::TracedFunction::Input> inputs(inputs_.begin(), inputs_.end());
    expect_outputs(step(inputs));
    if (!has_gradients_) return;
    for (int i = 1; i < steps; ++i) step(inputs);
    const auto wanted = family_.list(record_, "weights_after");
    const auto weights = layer->get_weights();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(near(weights[i], wanted[i], layer->compute_dtype()))
          << layer->weights()[i].name() << " afterwards";
  }

 private:
  LayerRef make() const {
    const Config& object = object_of(record_);
    LayerRef layer = nn::deserialize_layer(object);
    std::vector<Shape> shapes;
    for (const Array& input : inputs_) shapes.push_back(input.shape());
    layer->build_once(shapes);
    std::vector<Array> weights;
    for (const Config& weight : record_.find("weights")->as_list())
      weights.push_back(family_.array(*weight.find("array")));
    if (const Config* data = record_.find("adapt"); data && !data->is_null())
      adapt(layer, *data, weights);
    else
      set_weights(layer, weights);
    return layer;
  }

  // A Pipeline's layers are built when it is called.
  void set_weights(const LayerRef& layer, const std::vector<Array>& weights) const {
    if (layer->weights().size() < weights.size())
      call(layer, std::vector<Tensor>(inputs_.begin(), inputs_.end()));
    layer->set_weights(weights);
  }

  // Adapts the layer and compares its state with Keras's.
  void adapt(const LayerRef& layer, const Config& data, const std::vector<Array>& wanted) const {
    if (data.find("strings"))
      layers::adapt(layer, strings(data));
    else
      layers::adapt(layer, family_.array(data));
    const auto learnt = layer->get_weights();
    ASSERT_EQ(learnt.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(near(learnt[i], wanted[i])) << "learnt";
  }

  std::vector<Tensor> call(const LayerRef& layer, const std::vector<Tensor>& inputs) const {
    CallArgs args{.training = record_.find("training")->as_bool()};
    args.options = *record_.find("options");
    for (const auto& [name, places] : record_.find("tensors")->as_map())
      for (const Config& place : places.as_list())
        args.tensors[name].push_back(family_.array(place));
    const auto masks = family_.list(record_, "masks");
    for (size_t i = 0; i < masks.size(); ++i)
      if (masks[i].defined()) inputs[i].set_mask(masks[i]);
    return layer.call_all(inputs, args);
  }

  Tensor sum_up(const LayerRef& layer, const std::vector<Tensor>& outputs) const {
    Tensor total;
    const auto count = [&](const Tensor& t) { total = total.defined() ? total + t : t; };
    for (size_t i = 0; i < std::min(outputs.size(), cotangents_.size()); ++i)
      if (cotangents_[i].defined())
        count(ops::sum(ops::cast(outputs[i], DType::float32) * cotangents_[i]));
    auto penalties = layer->losses();
    const auto& added = nn::StepLosses::current()->losses;
    penalties.insert(penalties.end(), added.begin(), added.end());
    for (const Tensor& penalty : penalties) count(ops::cast(penalty, DType::float32));
    return total;
  }

  static void train(GradientTape& tape, const Tensor& total, const LayerRef& layer,
                    Optimizer& optimizer) {
    const auto variables = layer->trainable_variables();
    if (variables.empty() || !total.defined()) return;
    const auto gradients = tape.gradient(total, variables);
    if (std::ranges::any_of(gradients, [](const Tensor& g) { return g.defined(); }))
      optimizer.apply_gradients(gradients, variables);
  }

  void expect_outputs(const std::vector<Tensor>& outputs) const {
    const auto wanted = family_.list(record_, "outputs");
    ASSERT_EQ(outputs.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(outputs[i].dtype(), wanted[i].dtype()) << "of output " << i;
      EXPECT_TRUE(near(outputs[i].array(), wanted[i])) << "output " << i;
    }
  }

  void expect_masks(const std::vector<Tensor>& outputs) const {
    const auto wanted = family_.list(record_, "output_masks");
    for (size_t i = 0; i < std::min(outputs.size(), wanted.size()); ++i) {
      const Tensor& mask = outputs[i].mask();
      ASSERT_EQ(mask.defined(), wanted[i].defined()) << "mask of output " << i;
      if (!mask.defined()) continue;
      EXPECT_TRUE(near(mask.array(), wanted[i])) << "mask of output " << i;
    }
  }

  const Family& family_;
  const Config& record_;
  std::vector<Array> inputs_, cotangents_;
  bool has_gradients_;
};

void run(const Family& family, const Config& record) {
  LayerCase(family, record).expect_eager();
  LayerCase(family, record).expect_compiled();
}

Config rewrite(const Config& object) { return nn::deserialize_layer(object)->get_config(); }

}  // namespace

std::set<std::string> ops_of_layer(const Family& family, const Config& record) {
  try {
    return LayerCase(family, record).ops();
  } catch (const Error&) {
    return {};  // not supported, or a known gap
  }
}

namespace {

std::vector<std::string> operation_names() {
  return nn::Registry<nn::OperationRef>::instance().class_names();
}

const RegisterKind registered{"layer", {layer_class_names, run, rewrite}};
const RegisterKind operations{"operation", {operation_names, run, rewrite}};

}  // namespace
}  // namespace stoker::differential
