#include "nn/training/inputs/input_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/trace.h"
#include "nn/functional.h"
#include "nn/training/inputs/fit_data.h"

namespace stoker::nn {
namespace {

thread_local InputUses* current = nullptr;

// Does the op return all values of its first input, only rearranged?
bool keeps_values(const std::string& op) {
  return op == "reshape" || op == "cast" || op == "transpose" || op == "stop_gradient";
}
// How many of its inputs may be strings in an op that moves them? Only int64 can hold their ids.
size_t inputs_moved(const graph::Node& node, DType result) {
  const std::string& op = node.op->name;
  if (result != DType::int64) return 0;
  if (op == "concatenate") return node.inputs.size();
  return keeps_values(op) || op == "slice" || op == "gather" ? 1 : 0;
}

void check_numbers(Model& model, const Array& x, size_t input, const InputUse& use) {
  if (!x.holds_strings() || use.strings) return;
  const auto declared = model.inputs();
  const std::string dtype = input < declared.size() ? keras_dtype(declared[input]) : "numbers";
  if (dtype == "string") return;
  throw InvalidArgument(
      fmt::format("input {} of model \"{}\" takes {}, but the array of shape {} holds strings.",
                  input, model.name(), dtype, to_string(x.shape())),
      "convert it to numbers first (numpy: x.astype('float32')), or give the model an Input of "
      "dtype \"string\" with a StringLookup, TextVectorization or Hashing behind it.");
}

}  // namespace

InputUses::InputUses(const std::vector<Tensor>& inputs, std::vector<InputUse>& uses)
    : inputs_(inputs), uses_(uses), outer_(std::exchange(current, this)) {
  uses_.resize(inputs.size());
}
InputUses::~InputUses() { current = outer_; }

InputUse* InputUses::input_with(const Tensor& value) const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (graph::same_value(value, inputs_[i])) return &uses_[i];
  return nullptr;
}

InputUse* InputUses::use_of_ids(const Tensor& tensor) const {
  for (Tensor at = tensor; at.defined(); at = graph::input_of(at, 0)) {
    if (InputUse* use = input_with(at)) return use;
    const graph::Node* node = graph::producer_of(at);
    if (!node || !keeps_values(node->op->name)) break;
  }
  return nullptr;
}

std::vector<InputUse*> InputUses::uses_of_strings(const Tensor& tensor) const {
  if (InputUse* use = input_with(tensor)) return {use};
  std::vector<InputUse*> uses;
  const graph::Node* node = graph::producer_of(tensor);
  const size_t moved = node ? inputs_moved(*node, tensor.dtype()) : 0;
  for (size_t i = 0; i < moved; ++i)
    for (InputUse* use : uses_of_strings(graph::input_of(tensor, i))) uses.push_back(use);
  return uses;
}

bool InputUses::all_read_as_strings(const std::vector<Tensor>& outputs) const {
  std::vector<InputUse*> moved;
  for (const Tensor& output : outputs)
    for (InputUse* use : uses_of_strings(output)) moved.push_back(use);
  return std::ranges::all_of(uses_, [&](const InputUse& use) {
    return use.strings || std::ranges::find(moved, &use) != moved.end();
  });
}

void InputUses::report_ids(const Tensor& ids, int64_t rows, const std::string& layer) {
  InputUse* use = current ? current->use_of_ids(ids) : nullptr;
  if (!use || (use->rows != 0 && use->rows <= rows)) return;
  use->rows = rows;
  use->layer = layer;
}

void InputUses::report_strings(const Tensor& strings) {
  if (!current) return;
  for (InputUse* use : current->uses_of_strings(strings)) use->strings = true;
}

void check_inputs(Model& model, const Columns& columns) {
  const auto& uses = trace_results(model).input_uses;
  for (size_t i = 0; i < columns.layout.x; ++i) {
    check_numbers(model, columns.arrays[i], i, i < uses.size() ? uses[i] : InputUse());
  }
}

}  // namespace stoker::nn
