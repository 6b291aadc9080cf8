#include "nn/layers/rnn/recurrent_cell.h"
#include "nn/layers/rnn/recurrent_layer.h"
#include "stoker/ops/rnn.h"

namespace stoker::layers {

template <class V>
void visit(SimpleRNNCellArgs& a, V& v) {
  nn::visit_cell(a, v);
  v("seed", a.seed);
}
template <class V>
void visit(SimpleRNNArgs& a, V& v) {
  nn::visit_cell(a, v);
  nn::visit_recurrent(a, v);
  v("activity_regularizer", a.activity_regularizer);
  if constexpr (std::is_same_v<V, nn::ArgsReader>) v("seed", a.seed);  // Keras does not write it
}

namespace {

template <class Args>
class SimpleCell : public nn::RecurrentCell<Args> {
 public:
  SimpleCell(const Args& args, std::source_location created)
      : nn::RecurrentCell<Args>("SimpleRNNCell", args, 1, created) {}

  Layer::CallSignature call_signature() const override {
    return {{"sequence", "states"}, {"training"}};
  }

  std::vector<Tensor> run_sequence(const Tensor& x, const std::vector<Tensor>& states,
                                   const Tensor& mask) override {
    const std::string& activation = this->args_.activation.name();
    if (this->drops_states() || (activation != "tanh" && activation != "relu")) return {};
    const auto out = ops::simple_rnn({.x = biased(this->from_input(x)),
                                      .kernel = this->recurrent_,
                                      .h = states[0],
                                      .mask = mask},
                                     activation);
    return {out.sequence, out.h};
  }

 protected:
  std::vector<Tensor> step(const Tensor& x, const std::vector<Tensor>& states) override {
    const Tensor h =
        this->args_.activation(biased(this->from_input(x)) + this->from_state(states[0]));
    return {h, h};
  }

 private:
  Tensor biased(const Tensor& z) const { return this->args_.use_bias ? z + this->bias_ : z; }
};

class SimpleRnnLayer : public nn::RecurrentLayer<SimpleRNNArgs> {
 public:
  SimpleRnnLayer(const SimpleRNNArgs& args, std::source_location created)
      : RecurrentLayer("SimpleRNN", args, cell_for(args, created), created) {}

 private:
  static LayerRef cell_for(SimpleRNNArgs args, std::source_location created) {
    args.name = "simple_rnn_cell";
    return make_layer<SimpleCell<SimpleRNNArgs>>(args, created);
  }
};

const nn::RegisterLayer<SimpleRNNCellArgs> cell{"SimpleRNNCell", SimpleRNNCell};
const nn::RegisterLayer<SimpleRNNArgs> layer{"SimpleRNN", SimpleRNN};

}  // namespace

LayerRef SimpleRNNCell(const SimpleRNNCellArgs& args, std::source_location created) {
  return make_layer<SimpleCell<SimpleRNNCellArgs>>(args, created);
}
LayerRef SimpleRNN(const SimpleRNNArgs& args, std::source_location created) {
  return make_layer<SimpleRnnLayer>(args, created);
}

}  // namespace stoker::layers
