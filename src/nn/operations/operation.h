#pragma once
#include "nn/config/registry.h"
#include "stoker/layer.h"

// Keras's operations on symbolic tensors (`x + y`, ops.mean(x)): in a model file they are among the
// layers.
namespace stoker::nn {

// The arguments of one call: tensors, numbers, lists of both, and slices.
class OperationCall {
 public:
  OperationCall(const Config& args, const Config& kwargs, const std::vector<Tensor>& tensors);
  size_t size() const { return args_.size(); }
  const Config& value(size_t i) const;
  bool is_tensor(size_t i) const;
  Tensor tensor(size_t i) const;                // also of numbers and lists of numbers
  std::vector<Tensor> tensors(size_t i) const;  // an argument that is a list
  // An optional argument by position or by name: null, or an undefined tensor, if missing.
  Config optional(size_t i, const std::string& name) const;
  Tensor optional_tensor(size_t i, const std::string& name) const;
  void expect_all_taken() const;  // throws Unsupported for a keyword argument that was never read
  // Two arguments promoted to a common dtype as in Keras; a plain number takes the other's.
  std::pair<Tensor, Tensor> operands(size_t i, size_t j) const;

 private:
  Tensor from(const Config& value) const;
  const Config::List& args_;
  const Config& kwargs_;
  const std::vector<Tensor>& tensors_;
  mutable std::vector<std::string> taken_;
};

class OperationLayer : public Layer {
 public:
  OperationLayer(std::string module, std::string class_name, std::string name);
  const std::string& module() const { return module_; }
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;

 protected:
  virtual std::vector<Tensor> compute(const OperationCall& call) const = 0;

 private:
  std::string module_;
};

// The product of the operations' registry.
struct OperationRef {
  LayerRef layer;
};

template <class Args>
using Compute = std::vector<Tensor> (*)(const Args& args, const OperationCall& call);

template <class Args>
class Operation : public OperationLayer {
 public:
  Operation(const std::string& module, const std::string& class_name, const Config& config,
            Compute<Args> function)
      : OperationLayer(module, class_name, name_in(config)),
        args_(read_args<Args>(without_name(config), class_name)),
        function_(function) {}

  Config get_config() const override {
    Config config = Config::map({{"name", name()}});
    const Config own = write_args(args_);
    for (const auto& [key, value] : own.as_map()) config[key] = value;
    return config;
  }

 protected:
  std::vector<Tensor> compute(const OperationCall& call) const override {
    return function_(args_, call);
  }

 private:
  static std::string name_in(const Config& config) {
    const Config* name = config.find("name");
    return name && name->is_string() ? name->as_string() : "";
  }
  static Config without_name(const Config& config) {
    Config rest = Config::map();
    for (const auto& [key, value] : config.as_map())
      if (key != "name") rest[key] = value;
    return rest;
  }
  Args args_;
  Compute<Args> function_;
};

struct NoArgs {};
template <class V>
void visit(NoArgs&, V&) {}

// `const RegisterOperation<ClipArgs> clip{"numpy", "Clip", compute_clip};`: an operation of
// keras.src.ops.numpy
template <class Args = NoArgs>
struct RegisterOperation {
  RegisterOperation(const std::string& module, const std::string& class_name, Compute<Args> compute,
                    std::source_location place = std::source_location::current()) {
    const auto from_config = [=](const Config& config) {
      return OperationRef{
          make_layer<Operation<Args>>("keras.src.ops." + module, class_name, config, compute)};
    };
    Registrar<OperationRef>(class_name, from_config, {}, place);
  }
};

}  // namespace stoker::nn
