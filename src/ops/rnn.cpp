#include "stoker/ops/rnn.h"

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// lstm, gru and simple_rnn: each is one op over all steps, with one more op for its gradient.
//   inputs:  x, kernel, h, [c: lstm], [bias: gru], [mask]
//   outputs: sequence, h, [c: lstm], then what the gradient needs:
//            lstm: the carries (time, batch, units) and gates (time, batch, 4 units);
//            gru: gates z, r, candidate and the state's contribution to it (time, batch, 4 units)
namespace stoker::ops {
namespace {

struct Cell {
  std::string name;
  int64_t gates;
  bool carry, bias;  // has a second state; has its own bias
  size_t states() const { return carry ? 2 : 1; }
};
const Cell cells[] = {
    {"lstm", 4, true, false}, {"gru", 3, false, true}, {"simple_rnn", 1, false, false}};

constexpr int64_t kept_gates = 4;

void expect_shape(const TensorType& type, const Shape& wanted, const char* what) {
  expect(type.shape == wanted,
         fmt::format("{} must be {}, got {}.", what, to_string(wanted), to_string(type.shape)));
}

// The mask is the last input, and the only one that can be bool.
graph::DTypes floats_and_mask(Types in) {
  const bool masked = in.back().dtype == DType::boolean;
  graph::DTypes wanted = graph::to_one_float(in.first(in.size() - masked));
  if (masked) wanted.push_back(DType::boolean);
  return wanted;
}

OutTypes infer_rnn(const Cell& cell, Types in, const Attrs& attrs) {
  const bool masked = attrs.flag("masked");
  expect_inputs(in, 2 + cell.states() + cell.bias + masked);
  expect_float(in[0]);
  expect_rank(in[0], 3, "x (time, batch, features)");
  expect_rank(in[1], 2, "a kernel");
  const int64_t time = in[0].shape[0], batch = in[0].shape[1], units = in[1].shape[0];
  expect(time > 0, "needs at least one step.");
  const int64_t width = cell.gates * units;
  expect_shape(in[0], {time, batch, width}, "x");
  expect_shape(in[1], {units, width}, "the kernel");
  for (size_t s = 0; s < cell.states(); ++s) expect_shape(in[2 + s], {batch, units}, "a state");
  if (cell.bias) expect_shape(in[2 + cell.states()], {width}, "the bias");
  const Types floats = in.first(in.size() - masked);
  expect_same_dtype(floats);
  if (masked) {
    expect_shape(in.back(), {time, batch}, "the mask");
    expect(in.back().dtype == DType::boolean, "the mask must be bool.");
  }
  const DType dtype = in[0].dtype;
  const TensorType sequence{dtype, {time, batch, units}}, state{dtype, {batch, units}};
  OutTypes out{sequence, state};
  if (cell.carry) out.insert(out.end(), {state, sequence});
  if (cell.gates > 1) out.push_back({dtype, {time, batch, kept_gates * units}});
  return out;
}

// inputs: [gates], kernel, sequence, h, [carries, c], [mask], then the given gradients: of the
// sequence, of h, of c. outputs: of x, of h, [of c], [gru: of the state's contribution (time,
// batch, 3 units)]
std::vector<Tensor> gradient_rnn(const Cell& cell, const Gradient& g) {
  const size_t gates_at = 2 + (cell.carry ? 2 : 0), bias_at = 2 + cell.states();
  std::vector<Tensor> inputs;
  if (cell.gates > 1) inputs.push_back(g.outputs[gates_at]);
  inputs.insert(inputs.end(), {g.inputs[1], g.outputs[0], g.inputs[2]});
  if (cell.carry) inputs.insert(inputs.end(), {g.outputs[3], g.inputs[3]});
  const bool masked = g.attrs.flag("masked");
  if (masked) inputs.push_back(g.inputs.back());
  Attrs attrs = g.attrs;
  const char* names[] = {"of_sequence", "of_h", "of_c"};
  for (size_t i = 0; i < 1 + cell.states(); ++i) {
    attrs.set(names[i], int64_t{g.output_grads[i].defined()});
    if (g.output_grads[i].defined()) inputs.push_back(g.output_grads[i]);
  }
  const auto grads = graph::emit(cell.name + "_grad", inputs, attrs);

  const Shape& sequence = g.outputs[0].shape();
  const int64_t time = sequence[0], units = sequence[2], width = cell.gates * units;
  const Tensor& of_gates = cell.bias ? grads[2] : grads[0];
  std::vector<Tensor> result(g.inputs.size());
  result[0] = grads[0];
  if (g.needed[1]) {
    const Tensor first = expand_dims(g.inputs[2], 0);
    const Tensor before =
        time == 1 ? first
                  : concatenate(
                        {first, slice(g.outputs[0], {0, 0, 0}, {time - 1, sequence[1], units})}, 0);
    result[1] =
        matmul(reshape(before, {-1, units}), reshape(of_gates, {-1, width}), {.transpose_a = true});
  }
  result[2] = grads[1];
  if (cell.carry) result[3] = grads[2];
  if (cell.bias && g.needed[bias_at]) result[bias_at] = sum(of_gates, {.axis = {0, 1}});
  return result;
}

OutTypes infer_grad_rnn(const Cell& cell, Types in, const Attrs&) {
  const size_t kernel_at = cell.gates > 1 ? 1 : 0;
  const Shape& sequence = in[kernel_at + 1].shape;
  const DType dtype = in[0].dtype;
  const TensorType of_gates{dtype, {sequence[0], sequence[1], cell.gates * sequence[2]}},
      state = in[kernel_at + 2];
  OutTypes out{of_gates, state};
  if (cell.carry) out.push_back(state);
  if (cell.bias) out.push_back(of_gates);
  return out;
}

double flops_rnn(Types, Types out, const Attrs&) {
  const double units = static_cast<double>(out[0].shape.back());
  return 2 * static_cast<double>(out.back().shape.size()) * units;
}

// The gates saved by an lstm have the layout of x, and so do their gradients.
struct RegisterCells {
  RegisterCells() {
    for (const Cell& cell : cells) {
      const bool lstm = cell.carry;
      RegisterOp({.name = cell.name,
                  .infer = [&](Types in, const Attrs& attrs) { return infer_rnn(cell, in, attrs); },
                  .promote = floats_and_mask,
                  .gradient = [&](const Gradient& g) { return gradient_rnn(cell, g); },
                  .flops = flops_rnn,
                  .in_place = lstm ? std::vector{-1, -1, -1, -1, 0} : std::vector<int>{}});
      RegisterOp(
          {.name = cell.name + "_grad",
           .infer = [&](Types in, const Attrs& attrs) { return infer_grad_rnn(cell, in, attrs); },
           .flops = flops_rnn,
           .in_place = lstm ? std::vector{0, -1, -1} : std::vector<int>{}});
    }
  }
};
const RegisterCells registered;

RnnOutputs run(const Cell& cell, const RnnInputs& in, Attrs attrs = {}) {
  std::vector<Tensor> inputs{in.x, in.kernel, in.h};
  if (cell.carry) inputs.push_back(in.c);
  if (cell.bias) inputs.push_back(in.bias);
  if (in.mask.defined()) inputs.push_back(in.mask);
  attrs.set("masked", int64_t{in.mask.defined()});
  const auto out = graph::emit(cell.name, inputs, attrs);
  return {out[0], out[1], cell.carry ? out[2] : Tensor()};
}

}  // namespace

RnnOutputs lstm(const RnnInputs& inputs) { return run(cells[0], inputs); }
RnnOutputs gru(const RnnInputs& inputs) { return run(cells[1], inputs); }
RnnOutputs simple_rnn(const RnnInputs& inputs, const std::string& activation) {
  return run(cells[2], inputs, {{"activation", activation}});
}

}  // namespace stoker::ops
