#include "nn/layers/rnn/recurrence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/emit.h"
#include "stoker/error.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

Tensor step_of(const Tensor& x, int64_t t) {
  std::vector<int64_t> start(static_cast<size_t>(x.shape().rank()), 0), size = x.shape().dims();
  start[0] = t, size[0] = 1;
  return ops::squeeze(ops::slice(x, start, size), 0);
}

// Reshapes a mask (batch) or (batch, units) so that it broadcasts over `like`.
Tensor spread(const Tensor& mask, const Tensor& like) {
  std::vector<int64_t> dims(static_cast<size_t>(like.shape().rank()), 1);
  std::ranges::copy(mask.shape().dims(), dims.begin());
  return ops::reshape(mask, Shape(std::move(dims)));
}
Tensor pick(const Tensor& mask, const Tensor& yes, const Tensor& no) {
  return ops::where(spread(mask, yes), yes, no);
}

RecurrenceResult finished(const Recurrence& r, const Tensor& sequence, std::vector<Tensor> states) {
  const int64_t last = sequence.shape()[0] - 1;
  return {r.sequences ? swapped(sequence) : step_of(sequence, last), std::move(states)};
}

// The output of a masked step: zeros if zero_output_for_mask; otherwise, as in Keras's loop, the
// unchanged state; unrolled, the previous output.
class Outputs {
 public:
  explicit Outputs(const Recurrence& r) : recurrence_(r) {}
  void add(const Tensor& output, const Tensor& state_before, const Tensor& mask) {
    if (!mask.defined()) return values_.push_back(output);
    const Tensor zeros = ops::zeros_like(output);
    const Tensor instead = recurrence_.zero_output_for_mask ? zeros
                           : !recurrence_.unroll            ? state_before
                           : values_.empty()                ? zeros
                                                            : values_.back();
    values_.push_back(pick(mask, output, instead));
  }
  Tensor result() const {
    if (!recurrence_.sequences) return values_.back();
    std::vector<Tensor> steps;
    for (const Tensor& value : values_) steps.push_back(ops::expand_dims(value, 1));
    return ops::concatenate(steps, 1);
  }

 private:
  const Recurrence& recurrence_;
  std::vector<Tensor> values_;
};

RecurrenceResult run_steps(Layer& layer, const Recurrence& r, const Tensor& x, const Tensor& mask,
                           size_t output_state, bool training) {
  std::vector<Tensor> states = r.states;
  Outputs outputs(r);
  for (int64_t t = 0; t < x.shape()[0]; ++t) {
    std::vector<Tensor> inputs{step_of(x, t)};
    inputs.insert(inputs.end(), states.begin(), states.end());
    std::vector<Tensor> answer = layer.apply(inputs, {.training = training});
    const Tensor runs = mask.defined() ? step_of(mask, t) : mask;
    outputs.add(answer[0], states[output_state], runs);
    for (size_t s = 0; s < states.size(); ++s)
      states[s] = mask.defined() ? pick(runs, answer[s + 1], states[s]) : answer[s + 1];
  }
  return {outputs.result(), states};
}

}  // namespace

Tensor swapped(const Tensor& x) {
  std::vector<int64_t> order(static_cast<size_t>(x.shape().rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  return ops::transpose(x, order);
}

Tensor reversed(const Tensor& x) {
  const int64_t n = x.shape()[0];
  std::vector<int64_t> places(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) places[static_cast<size_t>(i)] = n - 1 - i;
  return ops::gather(x, Array::from<int64_t>(places, {n}));
}

layers::RnnCell& as_cell(const LayerRef& layer) {
  auto* cell = dynamic_cast<layers::RnnCell*>(layer.ptr().get());
  if (!cell)
    throw InvalidArgument(
        layer.ptr() ? fmt::format("layer \"{}\" of class {} is not a cell of a recurrent layer.",
                                  layer->name(), layer->class_name())
                    : "a recurrent layer needs a cell.",
        "use SimpleRNNCell, LSTMCell, GRUCell, StackedRNNCells or a class that is an RnnCell.");
  return *cell;
}

// A mask (batch, time, features), as a masked Softmax returns it, has one value per unit, or one
// for all units if there is one feature.
static Tensor mask_of_steps(const Tensor& mask) {
  const Shape& shape = mask.shape();
  const bool for_all = shape.rank() == 3 && shape[2] == 1;
  return ops::cast(for_all ? ops::squeeze(mask, 2) : mask, DType::boolean);
}

RecurrenceResult run(layers::RnnCell& cell, Layer& layer, const Recurrence& r, bool training) {
  Tensor x = swapped(r.x), mask = r.mask;
  if (mask.defined()) mask = swapped(mask_of_steps(mask));
  if (r.go_backwards) {
    x = reversed(x);
    if (mask.defined()) mask = reversed(mask);
  }
  cell.begin_sequence(step_of(x, 0), training);
  const bool whole = !mask.defined() || (!r.unroll && mask.shape().rank() == 2);
  std::vector<Tensor> all = whole ? cell.run_sequence(x, r.states, mask) : std::vector<Tensor>{};
  RecurrenceResult result;
  if (all.empty()) {
    result = run_steps(layer, r, x, mask, cell.output_state(), training);
  } else {
    Tensor sequence = all[0];
    if (mask.defined() && r.zero_output_for_mask)
      sequence = ops::where(ops::expand_dims(mask, -1), sequence, graph::scalar_like(sequence, 0));
    result = finished(r, sequence, {all.begin() + 1, all.end()});
    if (!r.sequences && !(mask.defined() && r.zero_output_for_mask))
      result.output = all[1 + cell.output_state()];
  }
  cell.end_sequence();
  return result;
}

}  // namespace stoker::nn
