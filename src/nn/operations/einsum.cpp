#include <algorithm>
#include <map>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// numpy's einsum for any number of tensors, contracted pairwise.
namespace stoker::nn {

struct EinsumArgs {
  std::string subscripts;
};
template <class V>
void visit(EinsumArgs& a, V& v) {
  v("subscripts", a.subscripts, required);
}

namespace {

struct Operand {
  Tensor x;
  std::string labels;
};

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// Letters that the equation does not use, one for each axis of "...".
std::string letters_for(const std::string& equation, int count) {
  std::string found;
  for (char c = 'A'; c <= 'Z' && static_cast<int>(found.size()) < count; ++c)
    if (!has(equation, c)) found += c;
  return found;
}

std::string without_dots(const std::string& labels, const std::string& letters) {
  const size_t at = labels.find("...");
  return at == std::string::npos ? labels : std::string(labels).replace(at, 3, letters);
}

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// Without an arrow the output has the letters that occur once, sorted.
std::string implied_output(const std::vector<std::string>& inputs, const std::string& dots) {
  std::map<char, int> counts;
  for (const std::string& labels : inputs)
    for (char label : labels) ++counts[label];
  std::string output = dots;
  for (const auto& [label, count] : counts)
    if (count == 1 && !has(dots, label)) output += label;
  return output;
}

Equation parse(std::string text, const std::vector<Tensor>& tensors) {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation equation;
  for (size_t start = 0; start <= left.size();) {
    const size_t comma = std::min(left.find(',', start), left.size());
    equation.inputs.push_back(left.substr(start, comma - start));
    start = comma + 1;
  }
  if (equation.inputs.size() != tensors.size())
    throw InvalidArgument(fmt::format("\"{}\" is for {} tensors, not {}.", text,
                                      equation.inputs.size(), tensors.size()));
  std::string dots;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (const size_t at = equation.inputs[i].find("..."); at != std::string::npos)
      dots = letters_for(
          text, tensors[i].shape().rank() - static_cast<int>(equation.inputs[i].size()) + 3);
  for (std::string& labels : equation.inputs) labels = without_dots(labels, dots);
  equation.output = arrow == std::string::npos ? implied_output(equation.inputs, dots)
                                               : without_dots(text.substr(arrow + 2), dots);
  return equation;
}

// A repeated letter: takes the diagonal of its two axes, which becomes the last axis.
Operand without_pairs(Operand o) {
  for (size_t i = 0; i < o.labels.size(); ++i) {
    const size_t j = o.labels.find(o.labels[i], i + 1);
    if (j == std::string::npos) continue;
    const int64_t n = o.x.shape()[static_cast<int>(i)];
    const Tensor flat = with_axes_last(o.x, {static_cast<int64_t>(i), static_cast<int64_t>(j)});
    std::vector<int64_t> places;
    for (int64_t k = 0; k < n; ++k) places.push_back(k * n + k);
    const char label = o.labels[i];
    std::erase(o.labels, label);
    return without_pairs({picked(flat, flat.shape().rank() - 1, places), o.labels + label});
  }
  return o;
}

// Sums over the letters that are not needed.
Operand without_others(const Operand& o, const std::string& wanted) {
  std::vector<int64_t> axes;
  std::string kept;
  for (size_t i = 0; i < o.labels.size(); ++i)
    if (has(wanted, o.labels[i]))
      kept += o.labels[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  return axes.empty() ? o : Operand{ops::sum(o.x, {.axis = axes}), kept};
}

Tensor in_order(const Operand& o, const std::string& output) {
  std::vector<int64_t> order;
  for (char label : output) {
    if (!has(o.labels, label))
      throw InvalidArgument(fmt::format("output label \"{}\" is not in any input.", label));
    order.push_back(static_cast<int64_t>(o.labels.find(label)));
  }
  return ops::transpose(o.x, order);
}

std::vector<Tensor> einsum(const EinsumArgs& args, const OperationCall& call) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < call.size(); ++i) tensors.push_back(call.tensor(i));
  const Equation equation = parse(args.subscripts, tensors);
  std::vector<Operand> left;
  for (size_t i = tensors.size(); i-- > 0;) {
    if (tensors[i].shape().rank() != static_cast<int>(equation.inputs[i].size()))
      throw InvalidArgument(fmt::format("\"{}\" does not fit {}.", equation.inputs[i],
                                        to_string(tensors[i].shape())));
    left.push_back(without_pairs({tensors[i], equation.inputs[i]}));
  }
  while (left.size() > 1) {
    const Operand a = left.back(), b = left[left.size() - 2];
    left.resize(left.size() - 2);
    std::string wanted = equation.output, both;
    for (const Operand& later : left) wanted += later.labels;
    for (char label : a.labels + b.labels)
      if (has(wanted, label) && !has(both, label)) both += label;
    left.push_back(
        {ops::einsum(fmt::format("{},{}->{}", a.labels, b.labels, both), a.x, b.x), both});
  }
  return {in_order(without_others(left[0], equation.output), equation.output)};
}

const RegisterOperation<EinsumArgs> registered{"numpy", "Einsum", einsum};

}  // namespace
}  // namespace stoker::nn
