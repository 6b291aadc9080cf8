#pragma once
#include "ops/support.h"

namespace stoker::cuda {

// A recurrent op for the kernels; src/ops/rnn.cpp describes the arrays.
struct RnnProblem {
  enum Cell { lstm, gru, simple_tanh, simple_relu };
  Cell cell = lstm;
  bool backward = false, masked = false, of_sequence = false, of_h = false, of_c = false;
  DType dtype = DType::float32;
  int64_t time = 0, batch = 0, units = 0;
  int gates() const { return cell == lstm ? 4 : cell == gru ? 3 : 1; }
};
RnnProblem rnn_problem_of(const NodeView& node);

enum class RnnMaths { exact, fast };  // of the gates' functions

// A file that includes rnn/cell.cuh, for this problem.
KernelSource rnn_source(const char* file, const RnnProblem& problem, RnnMaths maths);

// Passed to kernels by value; matches rnn/cell.cuh.
struct RnnArguments {
  void *x, *kernel, *h, *c, *bias, *mask, *sequence, *carries, *gates;
  void *last_h, *last_c;  // of the forward pass
  void *of_sequence, *of_last_h, *of_last_c, *of_x, *of_inner, *of_h,
      *of_c;  // of the backward pass
  int64_t batch;
  int time;
};
RnnArguments bind_rnn(const RnnProblem& problem, void* const* arguments);

}  // namespace stoker::cuda
