#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"

namespace stoker::layers {

// The interface of a recurrent cell: class MyCell : public Layer, public RnnCell. Its call_all
// takes {input, states …} of one step and returns {output, states …}.
struct RnnCell {
  virtual ~RnnCell() = default;
  virtual std::vector<int64_t> state_size() const = 0;
  // Without the batch. Known once the cell is built.
  virtual std::vector<Shape> state_shapes() const;
  virtual int64_t output_size() const { return state_size()[0]; }
  virtual size_t output_state() const {
    return 0;
  }  // the state that is the output of a masked step

  // Called before a sequence: draws what is the same for all of its steps, such as dropout masks.
  virtual void begin_sequence(const Tensor& /*first_input*/, bool /*training*/) {}
  virtual void end_sequence() {}

  // Runs all steps at once, time-major, if the cell supports it; returns {sequence, states …} or
  // nothing. `mask` is bool (time, batch) or undefined.
  virtual std::vector<Tensor> run_sequence(const Tensor& /*x*/,
                                           const std::vector<Tensor>& /*states*/,
                                           const Tensor& /*mask*/) {
    return {};
  }
};

struct SimpleRNNCellArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
struct SimpleRNNArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false, stateful = false,
       unroll = false, zero_output_for_mask = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};

struct LSTMCellArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh", recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
struct LSTMArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh", recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false, stateful = false,
       unroll = false, zero_output_for_mask = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};

struct GRUCellArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh", recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  bool reset_after = true;
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
struct GRUArgs {
  int64_t units = 0;
  stoker::Activation activation = "tanh", recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
              bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<int64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false, stateful = false,
       unroll = false;
  bool reset_after = true;
  bool zero_output_for_mask = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};

struct StackedRNNCellsArgs {
  std::vector<LayerRef> cells;
  std::string name = {};
  DTypePolicy dtype = {};
};
struct RNNArgs {
  LayerRef cell;
  bool return_sequences = false, return_state = false, go_backwards = false, stateful = false,
       unroll = false, zero_output_for_mask = false;
  Regularizer activity_regularizer = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};

// The layers take (batch, time, features), with the tensor arguments "initial_state" and "mask",
// and return the last output or all outputs and, with return_state, the final states.
LayerRef SimpleRNNCell(const SimpleRNNCellArgs& args,
                       std::source_location created = std::source_location::current());
LayerRef SimpleRNN(const SimpleRNNArgs& args,
                   std::source_location created = std::source_location::current());
LayerRef LSTMCell(const LSTMCellArgs& args,
                  std::source_location created = std::source_location::current());
LayerRef LSTM(const LSTMArgs& args, std::source_location created = std::source_location::current());
LayerRef GRUCell(const GRUCellArgs& args,
                 std::source_location created = std::source_location::current());
LayerRef GRU(const GRUArgs& args, std::source_location created = std::source_location::current());
LayerRef StackedRNNCells(const StackedRNNCellsArgs& args,
                         std::source_location created = std::source_location::current());
LayerRef RNN(const RNNArgs& args, std::source_location created = std::source_location::current());

void reset_states(const LayerRef& layer);  // of a stateful layer: back to zeros

}  // namespace stoker::layers
