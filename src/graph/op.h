#pragma once
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "graph/attrs.h"
#include "stoker/tensor.h"

namespace stoker::graph {

struct Cost {
  double flops = 0, bytes = 0;
};

// The arguments of a gradient rule. It returns one tensor per input; undefined means no gradient.
struct Gradient {
  const Attrs& attrs;
  const std::vector<Tensor>& inputs;
  const std::vector<Tensor>& outputs;
  const std::vector<Tensor>& output_grads;  // undefined where nothing flows back
  const std::vector<bool>& needed;          // which inputs' gradients are requested
};

using Infer = std::function<std::vector<TensorType>(std::span<const TensorType>, const Attrs&)>;
using GradientRule = std::function<std::vector<Tensor>(const Gradient&)>;
// The dtype that each input is cast to first; promotion.h has the rules.
using Promotion = std::vector<DType> (*)(std::span<const TensorType>);
using CostRule = std::function<double(std::span<const TensorType> in,
                                      std::span<const TensorType> out, const Attrs&)>;

// An op's schema: everything that the graph needs to know about it. Kernels are in the backends.
struct Op {
  std::string name;
  Infer infer;
  Promotion promote = nullptr;      // none: inputs are taken as they are
  GradientRule gradient = nullptr;  // none: gradients stop here
  CostRule flops = nullptr;         // default: one per output element
  CostRule bytes = nullptr;         // default: all inputs and outputs once
  bool elementwise = false;  // output element i depends on (broadcast) input elements i alone
  bool view = false;         // output is the input's bytes with another shape
  bool stateful = false;     // never merged with an equal node (random numbers)
  // Output i may (and for states does) reuse the memory of input in_place[i]; -1: it may not.
  std::vector<int> in_place = {};
  std::source_location place = {};  // where it is registered
};

const Op& find_op(std::string_view name);  // throws Internal
std::vector<const Op*> all_ops();
double bytes_of(std::span<const TensorType> types);
Cost cost_of(const Op& op, std::span<const TensorType> in, std::span<const TensorType> out,
             const Attrs& attrs);

// `static const RegisterOp matmul{{.name = "matmul", …}};` in the op's own file.
struct RegisterOp {
  // Throws Internal if the name is already registered, with both places.
  RegisterOp(Op op, std::source_location place = std::source_location::current());
};

}  // namespace stoker::graph
