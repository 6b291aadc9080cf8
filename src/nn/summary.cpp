#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nn/model_impl.h"
#include "nn/sequential.h"
#include "nn/table.h"
#include "stoker/human_bytes.h"

namespace stoker {
namespace {

using nn::as_spec;

std::string with_commas(int64_t n) {
  std::string text = std::to_string(n);
  for (auto at = static_cast<int64_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<size_t>(at), 1, ',');
  return text;
}

struct Count {
  int64_t params = 0, bytes = 0;
  void add(const std::vector<Variable>& variables) {
    for (const Variable& v : variables) {
      params += v.shape().size();
      bytes += v.type().bytes();
    }
  }
  std::string line(const char* what) const {
    return fmt::format(" {} params: {} ({})\n", what, with_commas(params), human_bytes(bytes));
  }
};

std::string title(const Layer& layer) {
  return fmt::format("{} ({})", layer.name(), layer.class_name());
}
std::string params_of(const Layer& layer) {
  return layer.built() ? with_commas(layer.count_params()) : "0 (unbuilt)";
}

std::string join_shapes(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + to_string(shape);
  return shapes.size() == 1 ? text : "[" + text + "]";
}

// The output shapes of each call, known from its users and the network's outputs.
using Shapes = std::map<const nn::CallNode*, std::map<size_t, Shape>>;
Shapes output_shapes(const nn::FunctionalNetwork& network) {
  Shapes shapes;
  const auto see = [&](const Tensor& t) {
    if (!as_spec(t)->is_mask) shapes[as_spec(t)->node.get()][as_spec(t)->index] = t.shape();
  };
  std::ranges::for_each(network.inputs(), see);
  for (const auto& call : network.calls()) std::ranges::for_each(spec_inputs(*call), see);
  std::ranges::for_each(network.outputs(), see);
  return shapes;
}

// A shared layer has one row, with its calls in order.
struct Row {
  const nn::CallNode* first;
  std::vector<Shape> shapes;
  std::vector<std::string> connected_to;
};
std::vector<Row> rows_of(const nn::FunctionalNetwork& network) {
  Shapes shapes = output_shapes(network);
  std::map<const nn::CallNode*, size_t> numbers;  // the index of a call among its layer's calls
  for (const auto& calls : network.operations())
    for (size_t i = 0; i < calls.size(); ++i) numbers[calls[i].get()] = i;
  std::vector<Row> rows;
  for (const auto& calls : network.operations()) {
    Row row{calls[0].get(), {}, {}};
    for (const auto& [index, shape] : shapes[row.first]) row.shapes.push_back(shape);
    for (const auto& call : calls)
      for (const Tensor& input : spec_inputs(*call)) {
        const auto* spec = as_spec(input);
        row.connected_to.push_back(
            fmt::format("{}[{}][{}]", spec->node->name, numbers[spec->node.get()], spec->index));
      }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string functional_table(const nn::FunctionalNetwork& network) {
  nn::Table table({{"Layer (type)"}, {"Output Shape"}, {"Param #", true}, {"Connected to"}});
  for (const Row& row : rows_of(network)) {
    const bool input = !row.first->layer.ptr();
    table.add_row(
        {input ? row.first->name + " (InputLayer)" : title(*row.first->layer),
         join_shapes(row.shapes), input ? "0" : params_of(*row.first->layer),
         row.connected_to.empty() ? "-" : fmt::format("{}", fmt::join(row.connected_to, ", "))});
  }
  return table.to_string();
}

std::string stack_table(const Layer& network) {
  nn::Table table({{"Layer (type)"}, {"Output Shape"}, {"Param #", true}});
  const auto add = [&](const Layer& layer, const std::string& shape) {
    table.add_row({title(layer), shape, params_of(layer)});
  };
  if (auto* functional = dynamic_cast<const nn::FunctionalNetwork*>(&network)) {
    for (const Row& row : rows_of(*functional))
      if (row.first->layer.ptr()) add(*row.first->layer, join_shapes(row.shapes));
    return table.to_string();
  }
  auto* stack = dynamic_cast<const nn::StackNetwork*>(&network);
  const auto layers = network.sublayers();
  for (size_t i = 0; i < layers.size(); ++i)
    add(*layers[i],
        stack && i < stack->output_shapes().size() ? to_string(stack->output_shapes()[i]) : "?");
  return table.to_string();
}

// An optimizer's slots are created by its first step; before, there is nothing to count.
Count optimizer_count(const Model& model) {
  Count count;
  if (model.compiled() && model.optimizer().iterations().array().at(0) > 0)
    count.add(model.optimizer().variables());
  return count;
}

}  // namespace

std::string Model::summary() const {
  auto* functional = dynamic_cast<const nn::FunctionalNetwork*>(network().ptr().get());
  const bool graph = functional && network()->class_name() != "Sequential";
  Count total, trainable, fixed;
  trainable.add(network()->trainable_variables());
  fixed.add(network()->non_trainable_variables());
  const Count optimizer = optimizer_count(*this);
  total.params = trainable.params + fixed.params + optimizer.params;
  total.bytes = trainable.bytes + fixed.bytes + optimizer.bytes;
  std::string text = fmt::format("Model: \"{}\"\n", name());
  text += graph ? functional_table(*functional) : stack_table(*network());
  text += total.line("Total") + trainable.line("Trainable") + fixed.line("Non-trainable");
  return optimizer.params > 0 ? text + optimizer.line("Optimizer") : text;
}

}  // namespace stoker
