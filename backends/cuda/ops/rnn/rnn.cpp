#include "ops/rnn/rnn_problem.h"

// lstm, gru, simple_rnn and their gradients: one launch per step, all of them in the step's CUDA
// graph.
namespace stoker::cuda {
namespace {

constexpr int rows = 8, units = 16;  // of the batch and of the state, per block

// Follows the arguments of a step's kernel; matches rnn/steps.cuh.
struct Step {
  int64_t units, t;
  void *before, *after, *h, *c;
};

std::string source_for(const RnnProblem& p) {
  return rnn_source(p.backward ? "rnn/steps_backward.cuh" : "rnn/steps_forward.cuh", p,
                    RnnMaths::exact)
      .constant("ROWS", rows)
      .constant("UNITS", units);
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const RnnProblem p = rnn_problem_of(node);
  if (refuse_non_floats(p.dtype, refusal)) return nullptr;
  if (p.batch == 0 || p.units == 0) return do_nothing();
  const auto function = make_function(source_for(p), "rnn_step");
  const LaunchShape shape{.blocks = blocks_for(p.units, units),
                          .blocks_y = blocks_for(p.batch, rows)};
  const uint64_t state = static_cast<uint64_t>(p.batch * p.units) * sizeof(double);
  const uint64_t operand = p.backward ? state * static_cast<uint64_t>(p.gates()) : state;
  const auto encode = [=](Encoder& encoder, void* const* arguments, void* workspace) {
    const RnnArguments a = bind_rnn(p, arguments);
    char* const room = static_cast<char*>(workspace);
    Step step{p.units, 0, room, room + operand, room + 2 * operand, room + 2 * operand + state};
    for (int64_t turn = 0; turn < p.time + p.backward; ++turn) {
      step.t = p.backward ? p.time - 1 - turn : turn;
      encoder.launch(*function, shape, a, step);
      std::swap(step.before, step.after);
    }
  };
  return make_kernel({function}, encode, 2 * operand + 2 * state);
}

const RegisterKernel lstm{"lstm", "steps", reference, plan};
const RegisterKernel gru{"gru", "steps", reference, plan};
const RegisterKernel simple_rnn{"simple_rnn", "steps", reference, plan};
const RegisterKernel lstm_grad{"lstm_grad", "steps", reference, plan};
const RegisterKernel gru_grad{"gru_grad", "steps", reference, plan};
const RegisterKernel simple_rnn_grad{"simple_rnn_grad", "steps", reference, plan};

}  // namespace
}  // namespace stoker::cuda
