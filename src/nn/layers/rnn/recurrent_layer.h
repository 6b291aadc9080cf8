#pragma once
#include <map>

#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/rnn/recurrence.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

// Arguments of all recurrent layers.
template <class Args, class V>
void visit_recurrent(Args& a, V& v) {
  v("return_sequences", a.return_sequences);
  v("return_state", a.return_state);
  v("go_backwards", a.go_backwards);
  v("stateful", a.stateful);
  v("unroll", a.unroll);
  v("zero_output_for_mask", a.zero_output_for_mask);
  v.accept_and_ignore("time_major");  // of Keras 2
  v.accept_and_ignore("use_cudnn");
}

struct HasStates {
  virtual ~HasStates() = default;
  virtual void reset_states() = 0;
};

// Runs a cell over the second axis of its input.
template <class Args>
class RecurrentLayer : public ArgsLayer<Args>, public HasStates {
 public:
  RecurrentLayer(const char* class_name, const Args& args, LayerRef cell,
                 std::source_location created)
      : ArgsLayer<Args>(class_name, args, created), cell_(std::move(cell)) {
    this->supports_masking = true;
    as_cell(cell_);
  }

  void build_all(const std::vector<Shape>& inputs) override {
    const Shape& x = inputs.at(0);
    if (x.rank() < 3)
      this->fail(fmt::format("expects input (batch, time, features), got {}.", to_string(x)));
    auto step = x.dims();
    step.erase(step.begin() + 1);
    const graph::PathScope path(cell_->name());
    cell_->build_once({Shape(step)});
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    const Tensor& x = inputs.at(0);
    if (x.shape().rank() < 3 || x.shape()[1] < 1)
      this->fail(
          fmt::format("expects input (batch, time, features), got {}.", to_string(x.shape())));
    const Args& a = this->args_;
    const auto result = run(as_cell(cell_), *cell_,
                            {.x = x,
                             .states = initial_states(inputs, args),
                             .mask = args.mask(0),
                             .go_backwards = a.go_backwards,
                             .unroll = a.unroll,
                             .zero_output_for_mask = a.zero_output_for_mask,
                             .sequences = a.return_sequences},
                            args.training);
    if (a.stateful)
      for (size_t i = 0; i < result.states.size(); ++i)
        kept(x.shape()[0])[i].assign(result.states[i]);
    std::vector<Tensor> outputs{result.output};
    if (a.return_state) outputs.insert(outputs.end(), result.states.begin(), result.states.end());
    return outputs;
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>& masks) override {
    return {this->args_.return_sequences ? masks[0] : Tensor()};
  }

  std::vector<Layer::Sublayer> named_sublayers() const override { return {{"cell", cell_}}; }
  Layer::CallSignature call_signature() const override {
    return {{"sequences"}, {"initial_state", "mask", "training"}};
  }

  void reset_states() override {
    for (auto& [batch, states] : kept_)
      for (const Variable& state : states) state.set(Array(state.dtype(), state.shape()));
  }

 protected:
  LayerRef cell_;

 private:
  std::vector<Tensor> initial_states(const std::vector<Tensor>& inputs, const CallArgs& args) {
    const auto shapes = as_cell(cell_).state_shapes();
    const int64_t batch = inputs[0].shape()[0];
    std::vector<Tensor> states(inputs.begin() + 1, inputs.end());
    if (const auto given = args.tensors.find("initial_state"); given != args.tensors.end())
      states = given->second;
    if (states.empty() && this->args_.stateful)
      for (const Variable& state : kept(batch)) states.push_back(state);
    else if (states.empty())
      for (const Shape& shape : shapes)
        states.push_back(ops::fill(shape.with_front(batch), 0, this->compute_dtype()));
    if (states.size() != shapes.size())
      this->fail(
          fmt::format("has {} states, got {} as initial_state.", shapes.size(), states.size()));
    return states;
  }

  // The states of a stateful layer, one set for each batch size.
  std::vector<Variable>& kept(int64_t batch) {
    std::vector<Variable>& states = kept_[batch];
    if (states.empty())
      for (const Shape& shape : as_cell(cell_).state_shapes())
        states.push_back(this->add_state(fmt::format("rnn_state_{}_{}", batch, states.size()),
                                         Array(this->compute_dtype(), shape.with_front(batch))));
    return states;
  }
  std::map<int64_t, std::vector<Variable>> kept_;
};

}  // namespace stoker::nn
