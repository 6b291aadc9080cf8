#include "ops/rnn_text.h"

// lstm, gru, simple_rnn and their gradients: one launch a step, all of them recorded with the rest.
namespace stoker::cuda {
namespace {

RnnProblem::Cell cell_of(const NodeView& node) {
  if (node.op.starts_with("lstm")) return RnnProblem::lstm;
  if (node.op.starts_with("gru")) return RnnProblem::gru;
  return node.text("activation") == "relu" ? RnnProblem::simple_relu : RnnProblem::simple_tanh;
}

RnnProblem problem_of(const NodeView& node) {
  RnnProblem p;
  p.cell = cell_of(node);
  p.backward = node.op.ends_with("_grad");
  p.masked = node.flag("masked");
  p.of_sequence = node.flag("of_sequence");
  p.of_h = node.flag("of_h");
  p.of_c = node.flag("of_c");
  p.dtype = node.in[0].dtype;
  const Shape& sequence = p.backward ? node.in[p.gates() > 1 ? 2 : 1].shape : node.out[0].shape;
  p.time = sequence[0], p.batch = sequence[1], p.units = sequence[2];
  return p;
}

// Hands a kernel's arguments out in the order in which src/ops/rnn.cpp lists them.
struct Next {
  void* const* arguments;
  void* operator()(bool there = true) { return there ? *arguments++ : nullptr; }
};

RnnArguments bind(const RnnProblem& p, void* const* arguments, void* workspace) {
  const bool lstm = p.cell == RnnProblem::lstm, gru = p.cell == RnnProblem::gru;
  RnnArguments a{};
  a.time = p.time, a.batch = p.batch, a.units = p.units;
  Next next{arguments};
  if (!p.backward) {
    a.x = next(), a.kernel = next(), a.h = next(), a.c = next(lstm), a.bias = next(gru);
    a.mask = next(p.masked);
    a.sequence = next(), a.last_h = next(), a.last_c = next(lstm), a.carries = next(lstm);
    a.gates = next(lstm || gru);
    return a;
  }
  a.gates = next(lstm || gru), a.kernel = next(), a.sequence = next(), a.h = next();
  a.carries = next(lstm), a.c = next(lstm), a.mask = next(p.masked);
  a.of_sequence = next(p.of_sequence), a.of_last_h = next(p.of_h), a.of_last_c = next(p.of_c);
  a.of_x = next(), a.of_h = next(), a.of_c = next(lstm), a.of_inner = next(gru);
  a.direct = workspace;
  a.carry = static_cast<char*>(workspace) + p.batch * p.units * int64_t{sizeof(double)};
  return a;
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const RnnProblem p = problem_of(node);
  if (refuse_non_floats(p.dtype, refusal)) return nullptr;
  if (is_half(p.dtype)) {
    refusal = "would round its state to halves at every step";
    return nullptr;
  }
  if (p.batch == 0 || p.units == 0) return do_nothing();
  const auto function = make_function(rnn_text(p), "rnn_step");
  const LaunchShape shape{.blocks = blocks_for(p.units, rnn_units),
                          .blocks_y = blocks_for(p.batch, rnn_rows)};
  const auto encode = [=](Encoder& encoder, void* const* arguments, void* workspace) {
    RnnArguments a = bind(p, arguments, workspace);
    if (p.backward)
      for (a.t = p.time - 1; a.t >= -1; --a.t) encoder.launch(*function, shape, a);
    else
      for (a.t = 0; a.t < p.time; ++a.t) encoder.launch(*function, shape, a);
  };
  const auto room = static_cast<uint64_t>(p.batch * p.units) * 2 * sizeof(double);
  return make_kernel({function}, encode, p.backward ? room : 0);
}

const RegisterKernel lstm{"lstm", "steps", reference, plan};
const RegisterKernel gru{"gru", "steps", reference, plan};
const RegisterKernel simple_rnn{"simple_rnn", "steps", reference, plan};
const RegisterKernel lstm_grad{"lstm_grad", "steps", reference, plan};
const RegisterKernel gru_grad{"gru_grad", "steps", reference, plan};
const RegisterKernel simple_rnn_grad{"simple_rnn_grad", "steps", reference, plan};

}  // namespace
}  // namespace stoker::cuda
