#include "nn/layers/rnn/recurrent_cell.h"
#include "nn/layers/rnn/recurrent_layer.h"
#include "stoker/ops/rnn.h"

namespace stoker::layers {

template <class V>
void visit(GRUCellArgs& a, V& v) {
  nn::visit_cell(a, v);
  v("seed", a.seed);
}
template <class V>
void visit(GRUArgs& a, V& v) {
  nn::visit_cell(a, v);
  nn::visit_recurrent(a, v);
  v("activity_regularizer", a.activity_regularizer);
  v("seed", a.seed);
}

namespace {

template <class Args>
class GruCell : public nn::RecurrentCell<Args> {
 public:
  GruCell(const Args& args, std::source_location created)
      : nn::RecurrentCell<Args>("GRUCell", args, 3, created) {}

  std::vector<Tensor> run_sequence(const Tensor& x, const std::vector<Tensor>& states,
                                   const Tensor& mask) override {
    const Args& a = this->args_;
    if (this->drops_states() || !a.reset_after || a.activation.name() != "tanh" ||
        a.recurrent_activation.name() != "sigmoid")
      return {};
    const Tensor bias = a.use_bias ? row(1) : ops::fill({3 * a.units}, 0, this->compute_dtype());
    const auto out = ops::gru({.x = from_input_biased(x),
                               .kernel = this->recurrent_,
                               .h = states[0],
                               .bias = bias,
                               .mask = mask});
    return {out.sequence, out.h};
  }

 protected:
  // With reset_after the recurrent product has its own bias.
  Shape bias_shape() const override {
    const int64_t width = 3 * this->args_.units;
    return this->args_.reset_after ? Shape{2, width} : Shape{width};
  }

  std::vector<Tensor> step(const Tensor& x, const std::vector<Tensor>& states) override {
    const Args& a = this->args_;
    const Tensor& h = states[0];
    const Tensor from_x = from_input_biased(x);
    const Tensor from_h = from_state_biased(h);
    const Tensor z = a.recurrent_activation(this->gate(from_x, 0) + this->gate(from_h, 0));
    const Tensor r = a.recurrent_activation(this->gate(from_x, 1) + this->gate(from_h, 1));
    const Tensor inner = a.reset_after ? r * this->gate(from_h, 2) : reset_before(r, h);
    const Tensor candidate = a.activation(this->gate(from_x, 2) + inner);
    const Tensor next = z * h + (1.0 - z) * candidate;
    return {next, next};
  }

 private:
  Tensor row(int64_t i) const {
    const int64_t width = 3 * this->args_.units;
    return ops::reshape(ops::slice(this->bias_, {i, 0}, {1, width}), {width});
  }
  Tensor from_input_biased(const Tensor& x) const {
    const Tensor sum = this->from_input(x);
    if (!this->args_.use_bias) return sum;
    return sum + (this->args_.reset_after ? row(0) : this->bias_.read());
  }
  Tensor from_state_biased(const Tensor& h) const {
    const Tensor sum = this->from_state(h);
    return this->args_.use_bias && this->args_.reset_after ? sum + row(1) : sum;
  }
  Tensor reset_before(const Tensor& r, const Tensor& h) const {
    const int64_t units = this->args_.units;
    const Tensor weights = ops::slice(this->recurrent_, {0, 2 * units}, {units, units});
    return ops::matmul(r * this->dropped_state(h, 2), weights);
  }
};

class GruLayer : public nn::RecurrentLayer<GRUArgs> {
 public:
  GruLayer(const GRUArgs& args, std::source_location created)
      : RecurrentLayer("GRU", args, cell_for(args, created), created) {}

 private:
  static LayerRef cell_for(GRUArgs args, std::source_location created) {
    args.name = "gru_cell";
    return make_layer<GruCell<GRUArgs>>(args, created);
  }
};

const nn::RegisterLayer<GRUCellArgs> cell{"GRUCell", GRUCell};
const nn::RegisterLayer<GRUArgs> layer{"GRU", GRU};

}  // namespace

LayerRef GRUCell(const GRUCellArgs& args, std::source_location created) {
  return make_layer<GruCell<GRUCellArgs>>(args, created);
}
LayerRef GRU(const GRUArgs& args, std::source_location created) {
  return make_layer<GruLayer>(args, created);
}

}  // namespace stoker::layers
