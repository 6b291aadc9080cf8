#include "graph/emit.h"
#include "nn/layers/rnn/forget_bias.h"
#include "nn/layers/rnn/recurrent_cell.h"
#include "nn/layers/rnn/recurrent_layer.h"
#include "stoker/ops/rnn.h"

namespace stoker::layers {

template <class V>
void visit(LSTMCellArgs& a, V& v) {
  nn::visit_cell(a, v);
  v("seed", a.seed);
}
template <class V>
void visit(LSTMArgs& a, V& v) {
  nn::visit_cell(a, v);
  nn::visit_recurrent(a, v);
  v("activity_regularizer", a.activity_regularizer);
  v("seed", a.seed);
}

namespace {

template <class Args>
class LstmCell : public nn::RecurrentCell<Args> {
 public:
  LstmCell(const Args& args, std::source_location created)
      : nn::RecurrentCell<Args>("LSTMCell", args, 4, created) {}

  std::vector<int64_t> state_size() const override {
    return {this->args_.units, this->args_.units};
  }

  std::vector<Tensor> run_sequence(const Tensor& x, const std::vector<Tensor>& states,
                                   const Tensor& mask) override {
    const Args& a = this->args_;
    if (this->drops_states() || a.activation.name() != "tanh" ||
        a.recurrent_activation.name() != "sigmoid")
      return {};
    const auto out = ops::lstm({.x = biased(this->from_input(x)),
                                .kernel = this->recurrent_,
                                .h = states[0],
                                .c = states[1],
                                .mask = mask});
    return {out.sequence, out.h, out.c};
  }

 protected:
  Initializer bias_initializer() const override {
    return nn::lstm_bias_initializer(this->args_, this->args_.units);
  }

  std::vector<Tensor> step(const Tensor& x, const std::vector<Tensor>& states) override {
    const Args& a = this->args_;
    const Tensor z = biased(this->from_input(x) + this->from_state(states[0]));
    const Tensor i = a.recurrent_activation(this->gate(z, 0)),
                 f = a.recurrent_activation(this->gate(z, 1)),
                 o = a.recurrent_activation(this->gate(z, 3));
    const Tensor c = f * states[1] + i * a.activation(this->gate(z, 2));
    const Tensor h = o * a.activation(c);
    return {h, h, c};
  }

 private:
  Tensor biased(const Tensor& z) const { return this->args_.use_bias ? z + this->bias_ : z; }
};

class LstmLayer : public nn::RecurrentLayer<LSTMArgs> {
 public:
  LstmLayer(const LSTMArgs& args, std::source_location created)
      : RecurrentLayer("LSTM", args, cell_for(args, created), created) {}

 private:
  static LayerRef cell_for(LSTMArgs args, std::source_location created) {
    args.name = "lstm_cell";
    return make_layer<LstmCell<LSTMArgs>>(args, created);
  }
};

const nn::RegisterLayer<LSTMCellArgs> cell{"LSTMCell", LSTMCell};
const nn::RegisterLayer<LSTMArgs> layer{"LSTM", LSTM};

}  // namespace

LayerRef LSTMCell(const LSTMCellArgs& args, std::source_location created) {
  return make_layer<LstmCell<LSTMCellArgs>>(args, created);
}
LayerRef LSTM(const LSTMArgs& args, std::source_location created) {
  return make_layer<LstmLayer>(args, created);
}

}  // namespace stoker::layers
