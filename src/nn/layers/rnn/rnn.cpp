#include "nn/layer_list.h"
#include "nn/layers/rnn/recurrent_cell.h"
#include "nn/layers/rnn/recurrent_layer.h"

namespace stoker::layers {

template <class V>
void visit(RNNArgs& a, V& v) {
  v("cell", a.cell, nn::required);
  nn::visit_recurrent(a, v);
  v.if_set("activity_regularizer", a.activity_regularizer);
  nn::visit_layer(a, v);
}

template <class V>
void visit(StackedRNNCellsArgs& a, V& v) {
  nn::visit_layers("cells", a.cells, v);
  nn::visit_layer(a, v);
}

namespace {

// Stacked cells as one cell: each takes the previous one's output.
class StackedCells : public nn::ArgsLayer<StackedRNNCellsArgs>, public RnnCell {
 public:
  StackedCells(const StackedRNNCellsArgs& args, std::source_location created)
      : ArgsLayer("StackedRNNCells", args, created) {
    if (args.cells.empty()) fail("needs at least one cell.");
    for (const LayerRef& cell : args.cells) nn::as_cell(cell);
  }

  std::vector<int64_t> state_size() const override {
    std::vector<int64_t> all;
    for (const LayerRef& cell : args_.cells) {
      const auto sizes = nn::as_cell(cell).state_size();
      all.insert(all.end(), sizes.begin(), sizes.end());
    }
    return all;
  }
  int64_t output_size() const override { return nn::as_cell(args_.cells.back()).output_size(); }
  size_t output_state() const override {
    return state_size().size() - nn::as_cell(args_.cells.back()).state_size().size();
  }

  void build_all(const std::vector<Shape>& inputs) override {
    Shape input = inputs.at(0);
    for (const LayerRef& cell : args_.cells) {
      const graph::PathScope path(cell->name());
      cell->build_once({input});
      input = {input[0], nn::as_cell(cell).output_size()};
    }
  }

  void begin_sequence(const Tensor& first_input, bool training) override {
    Shape input = first_input.shape();
    for (const LayerRef& cell : args_.cells) {
      nn::as_cell(cell).begin_sequence(ops::fill(input, 0, compute_dtype()), training);
      input = {input[0], nn::as_cell(cell).output_size()};
    }
  }
  void end_sequence() override {
    for (const LayerRef& cell : args_.cells) nn::as_cell(cell).end_sequence();
  }

  // One step of all cells at a time, or all steps of one cell after the other: the results are
  // equal.
  std::vector<Tensor> run_sequence(const Tensor& x, const std::vector<Tensor>& states,
                                   const Tensor& mask) override {
    Tensor sequence = x;
    std::vector<Tensor> last;
    for (const LayerRef& cell : args_.cells) {
      const size_t count = nn::as_cell(cell).state_size().size();
      const auto begin = states.begin() + static_cast<std::ptrdiff_t>(last.size());
      const auto out = nn::as_cell(cell).run_sequence(
          sequence, {begin, begin + static_cast<std::ptrdiff_t>(count)}, mask);
      if (out.empty()) return {};
      sequence = out[0];
      last.insert(last.end(), out.begin() + 1, out.end());
    }
    last.insert(last.begin(), sequence);
    return last;
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    const auto states = nn::states_of_call(inputs, args);
    if (const size_t count = state_size().size(); states.size() != count)
      fail(fmt::format("takes a step's input and {} states, got {} states.", count, states.size()));
    std::vector<Tensor> all{inputs.at(0)};
    size_t next = 0;
    for (const LayerRef& cell : args_.cells) {
      std::vector<Tensor> own{all[0]};
      for (size_t i = 0; i < nn::as_cell(cell).state_size().size(); ++i)
        own.push_back(states[next++]);
      const auto out = cell.call_all(own, {.training = args.training});
      all[0] = out[0];
      all.insert(all.end(), out.begin() + 1, out.end());
    }
    return all;
  }

  CallSignature call_signature() const override { return {{"inputs", "states"}, {"training"}}; }
  std::vector<Sublayer> named_sublayers() const override {
    return nn::listed_sublayers("cells", args_.cells);
  }
};

class RnnLayer : public nn::RecurrentLayer<RNNArgs> {
 public:
  RnnLayer(const RNNArgs& args, std::source_location created)
      : RecurrentLayer("RNN", args, args.cell, created) {}
};

const nn::RegisterLayer<StackedRNNCellsArgs> stacked{"StackedRNNCells", StackedRNNCells};
const nn::RegisterLayer<RNNArgs> registered{"RNN", RNN};

}  // namespace

LayerRef StackedRNNCells(const StackedRNNCellsArgs& args, std::source_location created) {
  return make_layer<StackedCells>(args, created);
}
LayerRef RNN(const RNNArgs& args, std::source_location created) {
  return make_layer<RnnLayer>(args, created);
}

std::vector<Shape> RnnCell::state_shapes() const {
  std::vector<Shape> shapes;
  for (int64_t size : state_size()) shapes.push_back({size});
  return shapes;
}

void reset_states(const LayerRef& layer) {
  if (auto* states = dynamic_cast<nn::HasStates*>(layer.ptr().get())) states->reset_states();
}

}  // namespace stoker::layers
