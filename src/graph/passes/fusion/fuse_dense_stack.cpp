#include <fmt/format.h>

#include "graph/passes/fusion/dense_stack.h"
#include "graph/passes/match.h"

// The whole training step of a stack of Dense layers becomes one node on devices that can keep the
// network in registers and run many steps in one launch.
namespace stoker::graph {
namespace {

using Parameter = DenseStack::Parameter;

std::vector<ValueId> states_of(const DenseStack& stack) {
  std::vector<ValueId> states;
  const auto add = [&](ValueId v) {
    if (v != no_value) states.push_back(v);
  };
  for (ValueId Parameter::*kept : {&Parameter::weight, &Parameter::m, &Parameter::v})
    for (const DenseStack::Layer& layer : stack.layers) {
      add(layer.kernel.*kept);
      add(layer.bias.*kept);
    }
  add(stack.iteration);
  for (const DenseStack::Layer& layer : stack.layers) add(layer.calls);
  size_t metric = 0;
  for (const ValueId total : {stack.loss_total, stack.accuracy_total}) {
    add(total);
    if (total != no_value) add(stack.counts[metric++]);
  }
  return states;
}

// "units activation bias dropout seed" of each layer.
std::string text_of_layers(const Graph& graph, const DenseStack& stack) {
  std::string text;
  for (const DenseStack::Layer& layer : stack.layers)
    text += fmt::format("{}{} {} {} {} {}", text.empty() ? "" : ";",
                        graph.type(layer.kernel.weight).shape[1], layer.activation,
                        int{layer.bias.weight != no_value}, layer.dropout, layer.seed);
  return text;
}

Attrs attrs_of(const Graph& graph, const DenseStack& stack, size_t states) {
  const Parameter& first = stack.layers[0].kernel;
  const int64_t moments = int64_t{first.m != no_value} + int64_t{first.v != no_value};
  const ValueId rows = stack.index != no_value ? stack.index : stack.x;
  return {{"states", static_cast<int64_t>(states)},
          {"batch", graph.type(rows).shape[0]},
          {"inputs", graph.type(first.weight).shape[0]},
          {"layers", text_of_layers(graph, stack)},
          {"gathered", int64_t{stack.index != no_value}},
          {"input_scale", stack.input_scale},
          {"loss", stack.loss},
          {"loss_scale", stack.loss_scale},
          {"optimizer", stack.optimizer},
          {"moments", moments},
          {"beta_1", stack.beta_1},
          {"beta_2", stack.beta_2},
          {"epsilon", stack.epsilon},
          {"momentum", stack.momentum},
          {"nesterov", int64_t{stack.nesterov}},
          {"loss_metric", int64_t{stack.loss_total != no_value}},
          {"accuracy_metric", int64_t{stack.accuracy_total != no_value}}};
}

Graph fuse(const Graph& graph, const Accepts& accepts) {
  const auto stack = read_dense_stack(graph);
  if (!stack) return graph;
  const std::vector<ValueId> states = states_of(*stack);
  if (states.size() > find_op("train_dense_stack").in_place.size()) return graph;
  Rewriter rewriter(graph);
  std::vector<ValueId> inputs = rewriter.map(states);
  for (const ValueId v : {stack->learning_rate, stack->x, stack->y, stack->index})
    if (v != no_value) inputs.push_back(rewriter.map(v));
  const auto outputs = try_add(rewriter, accepts, "train_dense_stack", std::move(inputs),
                               attrs_of(graph, *stack, states.size()), "");
  if (outputs.empty()) return graph;
  for (size_t i = 0; i < states.size(); ++i)
    for (const StateUse& use : graph.states)
      if (use.value == states[i]) rewriter.set(use.update, outputs[i]);
  return rewriter.finish();
}

const RegisterPass registered{{"fuse_dense_stack", fuse}};

}  // namespace
}  // namespace stoker::graph
