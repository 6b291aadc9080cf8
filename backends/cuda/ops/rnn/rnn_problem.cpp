#include "ops/rnn/rnn_problem.h"

namespace stoker::cuda {
namespace {

RnnProblem::Cell cell_of(const NodeView& node) {
  if (node.op.starts_with("lstm")) return RnnProblem::lstm;
  if (node.op.starts_with("gru")) return RnnProblem::gru;
  return node.text("activation") == "relu" ? RnnProblem::simple_relu : RnnProblem::simple_tanh;
}

// Reads a kernel's arguments in the order listed in src/ops/rnn.cpp.
struct Next {
  void* const* arguments;
  void* operator()(bool there = true) { return there ? *arguments++ : nullptr; }
};

}  // namespace

RnnProblem rnn_problem_of(const NodeView& node) {
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

KernelSource rnn_source(const char* file, const RnnProblem& p, RnnMaths maths) {
  return KernelSource(file)
      .type("T", p.dtype)
      .macro("FAST", maths == RnnMaths::fast)
      .constant("CELL", static_cast<int>(p.cell))
      .constant("G", p.gates())
      .constant("MASKED", p.masked)
      .constant("OF_SEQUENCE", p.of_sequence)
      .constant("OF_H", p.of_h)
      .constant("OF_C", p.of_c);
}

RnnArguments bind_rnn(const RnnProblem& p, void* const* arguments) {
  const bool lstm = p.cell == RnnProblem::lstm, gru = p.cell == RnnProblem::gru;
  RnnArguments a{};
  a.batch = p.batch, a.time = static_cast<int>(p.time);
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
  return a;
}

}  // namespace stoker::cuda
