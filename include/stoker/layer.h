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
  std::vector<Tensor> masks = {};  // one per input, undefined if it has none; filled by apply
  // Further tensors by Keras's argument names: "initial_state", "attention_mask"; "mask" overrides
  // the inputs' masks.
  std::map<std::string, std::vector<Tensor>> tensors = {};
  Config options = Config::map();  // plain values by Keras's argument names: "use_causal_mask"

  Tensor mask(size_t input = 0) const { return input < masks.size() ? masks[input] : Tensor(); }
  Tensor tensor(const std::string& name) const;  // the first one of that name, or undefined
  bool flag(const std::string& name, bool otherwise) const;  // a boolean option
};

struct WeightArgs {
  Shape shape;
  Initializer initializer = "glorot_uniform";
  Regularizer regularizer = {};
  Constraint constraint = {};
  bool trainable = true;
  std::optional<DType> dtype = {};  // default: the layer's variable_dtype
  bool autocast = true;             // read in the layer's compute_dtype inside call()
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

  // For one input and output; layers with several override the second pair instead.
  virtual void build(const Shape& input);
  virtual Tensor call(const Tensor& input, const CallArgs& args);
  virtual void build_all(const std::vector<Shape>& inputs);
  virtual std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args);
  // The outputs' masks. Called only if supports_masking; by default the inputs' masks.
  virtual std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                           const std::vector<Tensor>& masks);
  virtual Config get_config() const;
  // The arguments of Keras's call() in order: first those that are inputs here, then those in
  // CallArgs. Model files use the names.
  struct CallSignature {
    std::vector<std::string> inputs{"inputs"}, others{"training", "mask"};
  };
  virtual CallSignature call_signature() const;
  struct Sublayer;
  // Sublayers by the names of Keras's attributes ("cell", "forward_layer"), which are their paths
  // in weight files.
  virtual std::vector<Sublayer> named_sublayers() const;
  std::vector<LayerRef> sublayers() const;

  void build_once(const std::vector<Shape>& inputs);
  // Builds on the first call, casts floating-point inputs to compute_dtype, propagates masks and
  // adds this layer's path to errors.
  std::vector<Tensor> apply(const std::vector<Tensor>& inputs, const CallArgs& args = {});

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& class_name() const { return class_name_; }
  const std::source_location& created() const { return created_; }
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable);  // of all its weights and sublayers
  // Keras's argument trainable=False: no weight is trained, but sublayers keep their own setting.
  void freeze();
  const DTypePolicy& dtype_policy() const { return policy_; }
  void set_dtype_policy(const DTypePolicy& policy);  // before it is built
  DType compute_dtype() const { return policy_.compute_dtype(); }
  DType variable_dtype() const { return policy_.variable_dtype(); }

  std::vector<Variable> own_weights() const;  // trainable ones first: Keras's vars/0, vars/1 …
  // Own weights and those of sublayers, in Keras's order.
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  void set_weights(const std::vector<Array>& values);
  std::vector<Array> get_weights() const;
  std::vector<Tensor> losses() const;  // the regularizers' penalties on weights
  // Other states that persist between steps, such as the random state of dropout: not weights, but
  // part of a checkpoint.
  std::vector<Variable> hidden_states() const;

  // The input shape of a first layer (Keras's input_shape argument); rank 0: unknown.
  Shape input_shape;
  // The input shapes it was built for; empty before.
  const std::vector<Shape>& build_shapes() const { return build_shapes_; }
  // Other entries of a model file, such as Keras's build_config: written back unchanged. Null for a
  // layer not read from a file.
  Config file_extras = {};

 protected:
  Variable add_weight(const std::string& name, WeightArgs args);
  // A sublayer's weight that Keras also lists among this layer's own.
  void share_weight(const Variable& weight);
  Variable add_state(const std::string& name, const Array& initial);
  void add_loss(const Tensor& loss);  // added to the loss of the step being traced
  std::string where() const;          // `layer "dense_1", created train.cpp:41`
  bool autocast = true;               // false: inputs and weights are not cast (Keras's autocast)
  bool supports_masking = false;      // false: masks are not propagated
  Regularizer activity_regularizer = {};  // on the outputs, averaged over the batch

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

// A reference to a layer; copies refer to the same layer.
class LayerRef {
 public:
  LayerRef() = default;
  template <std::derived_from<Layer> L>
  LayerRef(std::shared_ptr<L> layer) : layer_(std::move(layer)) {}  // NOLINT

  // On symbolic inputs (Input()) it extends the functional model, otherwise it computes.
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

// Errors of the constructor get the source location in the arguments.
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

// Creates a layer by its Keras class name and arguments; errors suggest the nearest known names.
LayerRef make_layer_from_config(const std::string& class_name, const Config& config);
std::vector<std::string> layer_class_names();

// Seeds all initialisation and shuffling from now on.
void set_random_seed(uint64_t seed);

// The dtype of an Input: a DType, its name, or "string". A tensor of strings contains their ids
// (int64), as returned by layers::string_ids and files with strings.
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
  int64_t batch_size = unknown;  // if only batches of one size are possible
};
Tensor Input(const InputArgs& args, std::source_location created = std::source_location::current());

}  // namespace stoker
