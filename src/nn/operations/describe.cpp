#include <fmt/format.h>

#include <map>

#include "graph/symbolic_ops.h"
#include "nn/config/array_config.h"
#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"

// `x + y` on Input()s becomes the same operations as in model files.
namespace stoker::nn {
namespace {

const std::map<std::string_view, const char*>& operations() {
  static const std::map<std::string_view, const char*> classes{
      {"add", "Add"},           {"subtract", "Subtract"},
      {"multiply", "Multiply"}, {"divide", "TrueDivide"},
      {"power", "Power"},       {"maximum", "Maximum"},
      {"minimum", "Minimum"},   {"negative", "Negative"},
      {"exp", "Exp"},           {"log", "Log"},
      {"sqrt", "Sqrt"},         {"square", "Square"},
      {"abs", "Absolute"},      {"tanh", "Tanh"},
      {"sigmoid", "Sigmoid"},   {"relu", "Relu"},
      {"sin", "Sin"},           {"cos", "Cos"},
      {"equal", "Equal"},       {"not_equal", "NotEqual"},
      {"greater", "Greater"},   {"less", "Less"}};
  return classes;
}

// A constant among the arguments: a number, or an array as Keras writes one.
Config constant(const Tensor& tensor) {
  const Array array = tensor.array();
  if (array.shape().rank() > 0)
    return Config::map({{"class_name", "__numpy__"}, {"config", array_config(array)}});
  return is_floating(array.dtype()) ? Config(array.at(0))
                                    : Config(static_cast<int64_t>(array.at(0)));
}

std::optional<std::vector<Tensor>> describe(std::string_view op, const std::vector<Tensor>& inputs,
                                            const graph::Attrs&) {
  if (std::ranges::none_of(inputs, [](const Tensor& t) { return as_spec(t) != nullptr; }))
    return std::nullopt;
  const auto found = operations().find(op);
  if (found == operations().end())
    throw Unsupported(fmt::format("the op {} cannot be a part of a model's description.", op),
                      "write a Layer whose call() computes it.");
  CallArguments form;
  Config::List args;
  for (const Tensor& input : inputs) {
    if (as_spec(input)) form.tensors.push_back(input);
    args.push_back(as_spec(input) ? call_tensor(form.tensors.size() - 1) : constant(input));
  }
  form.args = args;
  const LayerRef layer = Registry<OperationRef>::instance().make(found->second, "operation").layer;
  return describe_form(layer, form);
}

const bool registered = [] {
  graph::set_symbolic_op_handler(describe);
  return true;
}();

}  // namespace
}  // namespace stoker::nn
