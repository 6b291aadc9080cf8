#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/fusion/dense_stack.h"
#include "graph/passes/fusion/expected_step.h"

namespace stoker::graph {

// Recognises a DenseStack in a graph: looks for each part of the step in the form in which layers,
// losses and optimizers emit it.
class DenseStackReader {
 public:
  explicit DenseStackReader(const Graph& graph) : step_(graph) {}
  std::optional<DenseStack> read();

 private:
  // --- the layers, found by their matrix products
  bool find_products();
  ValueId through(ValueId v, std::string_view op);
  // The input rows: gathered, cast to float and scaled, or used as they are.
  bool read_input();
  ValueId source(ValueId rows);
  bool is_input(ValueId v) const { return step_.graph().value(v).origin == Origin::input; }
  bool read_layer(size_t l);
  ValueId with_bias(DenseStack::Layer& layer, ValueId sum);
  // select(uniform >= rate, x / (1 - rate), 0): returns x.
  ValueId read_dropout(DenseStack::Layer& layer, ValueId v);
  // The rate before it was rounded to float32.
  static double rate_of(double rounded);
  bool read_activation(size_t l, ValueId v);

  // --- the loss and its gradient with respect to the last layer's pre-activations
  int64_t batch() const { return step_.graph().type(outputs_[0]).shape[0]; }
  int64_t classes() const { return step_.graph().type(sums_.back()).shape[1]; }
  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs = {});
  ValueId sum(ValueId v, const std::vector<int64_t>& axes, bool keepdims = false);
  ValueId spread(ValueId v, std::vector<int64_t> via, std::vector<int64_t> to);
  bool read_loss();
  // Reduces per-sample values to the loss; returns the gradient with respect to each value.
  ValueId reduce(ValueId values);
  // Labels or targets, behind the ops that adapt them to the outputs.
  bool read_targets(ValueId v);
  bool read_sparse(ValueId z, const Node& node);
  bool read_categorical(ValueId z, const Node& node);
  // max(z, 0) - z t + log(1 + exp(-|z|)), as the loss writes it with select.
  bool read_binary(ValueId z);
  // The mean over the outputs, then the loss; returns the gradient with respect to each output.
  ValueId reduce_mean(ValueId values);
  bool read_squares(ValueId z);

  // --- back through the layers
  ValueId activation_gradient(const std::string& activation, ValueId g, ValueId y);
  static Attrs product(int64_t transpose_a, int64_t transpose_b);
  void gradients_from(ValueId gradient, size_t l);

  // --- the optimizer
  bool read_optimizer();
  // The only int64 state that does not belong to a Dropout.
  bool find_iteration();
  bool read_adam(const Node& node);
  void improve(DenseStack::Parameter& at, ValueId gradient);
  bool improve_adam(DenseStack::Parameter& at, ValueId gradient);
  bool improve_sgd(DenseStack::Parameter& at, ValueId gradient);
  bool improve_momentum(DenseStack::Parameter& at, ValueId step, const Node& kept,
                        const Node& moved);
  // Checks that the state's update is this value, and marks it as accounted for.
  bool explain(ValueId state, ValueId value);

  // --- counters and metrics
  void read_counters();
  // A running total that grows by this amount in every step.
  ValueId total_of(ValueId amount);
  void read_metrics();
  ValueId cast(ValueId v, DType dtype);
  // Which samples an accuracy metric counts as correct.
  ValueId right_answers();

  ExpectedStep step_;
  DenseStack stack_;
  std::vector<const Node*> products_;
  std::vector<ValueId> outputs_;           // the input of layer i; the first is the network's input
  std::vector<ValueId> sums_, activated_;  // before and after each layer's activation
  std::vector<ValueId> masks_;             // of the Dropouts, in order
  std::vector<ValueId> updates_;           // states whose update is not accounted for yet
  ValueId targets_ = no_value, loss_ = no_value, preactivation_gradient_ = no_value,
          step_size_ = no_value;
  bool failed_ = false;
};

}  // namespace stoker::graph
