#pragma once
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "stoker/config.h"
#include "stoker/constraint.h"
#include "stoker/dtype_policy.h"
#include "stoker/error.h"
#include "stoker/initializer.h"
#include "stoker/regularizer.h"
#include "stoker/tensor.h"

namespace stoker {

class LayerRef;

struct CallArgs {
  bool training = false;
  std::vector<Tensor> masks = {};  // one per input, undefined where there is none; filled by apply
  // Further tensors by Keras's argument names: "initial_state", "attention_mask"; "mask" goes
  // before the masks the inputs carry.
  std::map<std::string, std::vector<Tensor>> tensors = {};
  Config options = Config::map();  // plain values by Keras's argument names: "use_causal_mask"

  Tensor mask(size_t input = 0) const { return input < masks.size() ? masks[input] : Tensor(); }
  Tensor tensor(const std::string& name) const;              // the first of that name, or undefined
  bool flag(const std::string& name, bool otherwise) const;  // an option that is true or false
};

struct WeightArgs {
  Shape shape;
  Initializer initializer = "glorot_uniform";
  Regularizer regularizer = {};
  Constraint constraint = {};
  bool trainable = true;
  std::optional<DType> dtype = {};  // the layer's variable_dtype if not given
  bool autocast = true;             // in call() it is read in the layer's compute_dtype
};

// A piece of a network. A layer of your own overrides build (make the weights) and call (compute,
// in ops):
//   struct Scale : Layer {
//     void build(const Shape& input) override { factor = add_weight("factor", {.shape =
//     {input.back()}, .initializer = "ones"}); } Tensor call(const Tensor& x, const CallArgs&)
//     override { return x * factor; } Variable factor;
//   };
//   auto scale = make_layer<Scale>();
class Layer : public std::enable_shared_from_this<Layer> {
 public:
  explicit Layer(std::string class_name = "Layer", std::string name = {},
                 std::source_location created = std::source_location::current());
  virtual ~Layer();

  // With one input and output; layers with several override the second pair instead.
  virtual void build(const Shape& input);
  virtual Tensor call(const Tensor& input, const CallArgs& args);
  virtual void build_all(const std::vector<Shape>& inputs);
  virtual std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args);
  // The outputs' masks. Asked only where supports_masking; gives the inputs' masks on.
  virtual std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                           const std::vector<Tensor>& masks);
  virtual Config get_config() const;
  // The arguments of Keras's call() in their order: those that are inputs here, then those that
  // CallArgs holds. Model files name them.
  struct CallSignature {
    std::vector<std::string> inputs{"inputs"}, others{"training", "mask"};
  };
  virtual CallSignature call_signature() const;
  struct Sublayer;
  // The layers inside by the names of Keras's attributes ("cell", "forward_layer"), which are their
  // paths in weight files.
  virtual std::vector<Sublayer> named_sublayers() const;
  std::vector<LayerRef> sublayers() const;

  void build_once(const std::vector<Shape>& inputs);
  // Builds on the first call, casts floating-point inputs to compute_dtype, passes masks along and
  // adds this layer's path to any error.
  std::vector<Tensor> apply(const std::vector<Tensor>& inputs, const CallArgs& args = {});

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& class_name() const { return class_name_; }
  const std::source_location& created() const { return created_; }
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable);  // of all its weights, and of the layers inside
  // As Keras's argument trainable=False: no weight trains, but the layers inside go on to say of
  // themselves what they said.
  void freeze();
  const DTypePolicy& dtype_policy() const { return policy_; }
  void set_dtype_policy(const DTypePolicy& policy);  // before it is built
  DType compute_dtype() const { return policy_.compute_dtype(); }
  DType variable_dtype() const { return policy_.variable_dtype(); }

  std::vector<Variable> own_weights() const;  // trainable ones first: Keras's vars/0, vars/1 …
  // Own weights and those of the layers inside, in Keras's order.
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  void set_weights(const std::vector<Array>& values);
  std::vector<Array> get_weights() const;
  std::vector<Tensor> losses() const;  // the regularizers' penalties on weights
  // What else lasts from step to step, such as a dropout's count of calls: no weight, but part of
  // where a training stands.
  std::vector<Variable> hidden_states() const;

  // Where a first layer says what it takes (Keras's input_shape argument); rank 0: it does not say.
  Shape input_shape;
  // Of the inputs it was built for; empty before.
  const std::vector<Shape>& build_shapes() const { return build_shapes_; }
  // What a model file says beside the config, such as Keras's build_config: written back as it was.
  // Null for a layer that was not read from one.
  Config file_extras = {};

 protected:
  Variable add_weight(const std::string& name, WeightArgs args);
  // One of a layer inside that Keras lists among this layer's own, too.
  void share_weight(const Variable& weight);
  Variable add_state(const std::string& name, const Array& initial);
  void add_loss(const Tensor& loss);  // counts in the step being traced
  std::string where() const;          // `layer "dense_1", created train.cpp:41`
  bool autocast = true;  // false: inputs and weights reach call() as they are (Keras's autocast)
  bool supports_masking = false;          // false: masks end here
  Regularizer activity_regularizer = {};  // of the outputs, per sample of the batch

 private:
  struct Weight {
    Variable variable;
    Regularizer regularizer;
    bool trainable;
  };
  std::string path_of(const std::string& variable) const;
  void hold_weights();
  CallArgs resolved(const CallArgs& args, const std::vector<Tensor>& inputs) const;
  void finish_call(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                   const std::vector<Tensor>& outputs);
  std::string class_name_, name_;
  std::source_location created_;
  DTypePolicy policy_;
  bool built_ = false, trainable_ = true, held_ = false;
  std::vector<Shape> build_shapes_;
  std::vector<Weight> weights_;
  std::vector<Variable> hidden_states_;
};

// A layer as it is passed around; copies are the same layer.
class LayerRef {
 public:
  LayerRef() = default;
  template <std::derived_from<Layer> L>
  LayerRef(std::shared_ptr<L> layer) : layer_(std::move(layer)) {}  // NOLINT

  // On Input()s it extends the model being described, otherwise it computes.
  Tensor operator()(const Tensor& input, const CallArgs& args = {}) const;
  Tensor operator()(const std::vector<Tensor>& inputs, const CallArgs& args = {}) const;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args = {}) const;

  Layer* operator->() const { return layer_.get(); }
  Layer& operator*() const { return *layer_; }
  const std::shared_ptr<Layer>& ptr() const { return layer_; }
  bool operator==(const LayerRef&) const = default;

 private:
  std::shared_ptr<Layer> layer_;
};

struct Layer::Sublayer {
  std::string attribute;
  LayerRef layer;
};

// An error of the constructor gets the place in the source that is among the arguments.
template <std::derived_from<Layer> L, class... Args>
std::shared_ptr<L> make_layer(Args&&... args) {
  try {
    return std::make_shared<L>(std::forward<Args>(args)...);
  } catch (Error& error) {
    [[maybe_unused]] const auto add_place = [&]<class T>(const T& arg) {
      if constexpr (std::is_same_v<T, std::source_location>)
        if (error.where().empty() && arg.line() != 0)
          error.add_where("layer created " + to_string(arg));
    };
    (add_place(args), ...);
    throw;
  }
}

// A layer by its Keras class name and arguments; unknown names and arguments say what was meant.
LayerRef make_layer_from_config(const std::string& class_name, const Config& config);
std::vector<std::string> layer_class_names();

// The seed of everything random that is made or shuffled from now on.
void set_random_seed(uint64_t seed);

// What an Input takes: a dtype, by itself or by its name, or "string". A tensor of strings holds
// their ids: int64, which layers::string_ids and files of strings give.
class InputDType {
 public:
  InputDType(DType dtype = DType::float32) : dtype_(dtype) {}      // NOLINT
  InputDType(const char* name) : InputDType(std::string(name)) {}  // NOLINT
  InputDType(const std::string& name);                             // NOLINT
  DType dtype() const { return dtype_; }
  bool strings() const { return strings_; }
  std::string name() const;  // Keras's

 private:
  DType dtype_;
  bool strings_ = false;
};

struct InputArgs {
  Shape shape = {};  // without the batch
  InputDType dtype = DType::float32;
  std::string name = {};
  int64_t batch_size = unknown;  // where only batches of one size will do
};
Tensor Input(const InputArgs& args, std::source_location created = std::source_location::current());

}  // namespace stoker
