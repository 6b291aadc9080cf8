#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/fusion/dense_stack.h"
#include "graph/passes/fusion/expected_step.h"

namespace stoker::graph {

// Reads a DenseStack out of a graph: each part of the step is found by what it must be made of.
class DenseStackReader {
 public:
  explicit DenseStackReader(const Graph& graph) : step_(graph) {}
  std::optional<DenseStack> read();

 private:
  // --- the layers, from the products that make them
  bool find_products();
  ValueId through(ValueId v, std::string_view op);
  // Rows that are gathered, made float and scaled, or come as they are.
  bool read_input();
  ValueId source(ValueId rows);
  bool is_input(ValueId v) const { return step_.graph().value(v).origin == Origin::input; }
  bool read_layer(size_t l);
  ValueId with_bias(DenseStack::Layer& layer, ValueId sum);
  // select(uniform >= rate, x / (1 - rate), 0): says what x is.
  ValueId read_dropout(DenseStack::Layer& layer, ValueId v);
  // The rate as it was before it became a float32.
  static double rate_of(double rounded);
  bool read_activation(size_t l, ValueId v);

  // --- the loss and its slope at the last layer's sums
  int64_t batch() const { return step_.graph().type(outputs_[0]).shape[0]; }
  int64_t classes() const { return step_.graph().type(sums_.back()).shape[1]; }
  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs = {});
  ValueId sum(ValueId v, const std::vector<int64_t>& axes, bool keepdims = false);
  ValueId spread(ValueId v, std::vector<int64_t> via, std::vector<int64_t> to);
  bool read_loss();
  // Values of each sample become the loss; what flows back to each value.
  ValueId reduce(ValueId values);
  // Labels or targets, seen through what fits them to the outputs.
  bool read_targets(ValueId v);
  bool read_sparse(ValueId z, const Node& node);
  bool read_categorical(ValueId z, const Node& node);
  // max(z, 0) - z t + log(1 + exp(-|z|)), as the loss writes it with select.
  bool read_binary(ValueId z);
  // The mean over the outputs, then the loss; what flows back to each output.
  ValueId reduce_mean(ValueId values);
  bool read_squares(ValueId z);

  // --- back through the layers
  ValueId slope_of(const std::string& activation, ValueId g, ValueId y);
  static Attrs product(int64_t transpose_a, int64_t transpose_b);
  void gradients_from(ValueId slopes, size_t l);

  // --- the optimizer
  bool read_optimizer();
  // The only int64 state that is no Dropout's.
  bool find_iteration();
  bool read_adam(const Node& node);
  void improve(DenseStack::Parameter& at, ValueId gradient);
  bool improve_adam(DenseStack::Parameter& at, ValueId gradient);
  bool improve_sgd(DenseStack::Parameter& at, ValueId gradient);
  bool improve_momentum(DenseStack::Parameter& at, ValueId step, const Node& kept,
                        const Node& moved);
  // The state must come to this value, and is explained then.
  bool explain(ValueId state, ValueId value);

  // --- counters and metrics
  void read_counters();
  // A total that grows by this in every step.
  ValueId total_of(ValueId amount);
  void read_metrics();
  ValueId cast(ValueId v, DType dtype);
  // Which samples an accuracy metric counts as right.
  ValueId right_answers();

  ExpectedStep step_;
  DenseStack stack_;
  std::vector<const Node*> products_;
  std::vector<ValueId> outputs_;           // what goes into layer i; the first is the input
  std::vector<ValueId> sums_, activated_;  // before and behind each layer's activation
  std::vector<ValueId> masks_;             // of the Dropouts, in order
  std::vector<ValueId> updates_;           // states whose new value is not explained yet
  ValueId targets_ = no_value, loss_ = no_value, slopes_ = no_value, step_size_ = no_value;
  bool failed_ = false;
};

}  // namespace stoker::graph
