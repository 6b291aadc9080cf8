#pragma once
#include <string>

#include "ops/support.h"

namespace stoker::cuda {

// A recurrent op as the kernels see it; src/ops/rnn.cpp says what the arrays are.
struct RnnProblem {
  enum Cell { lstm, gru, simple_tanh, simple_relu };
  Cell cell = lstm;
  bool backward = false, masked = false, of_sequence = false, of_h = false, of_c = false;
  DType dtype = DType::float32;
  int64_t time = 0, batch = 0, units = 0;
  int gates() const { return cell == lstm ? 4 : cell == gru ? 3 : 1; }
};

// Passed to kernels by value; the text of it is in rnn_text.
struct RnnArguments {
  void *x, *kernel, *h, *c, *bias, *mask, *sequence, *carries, *gates;
  void *last_h, *last_c;                                                      // of the forward pass
  void *of_sequence, *of_last_h, *of_last_c, *of_x, *of_inner, *of_h, *of_c;  // of the other
  void *direct, *carry;  // what flows back past a step's product, in the type that is computed in
  int64_t time, batch, units, t;
};

constexpr int rnn_rows = 8, rnn_units = 16;  // of the batch and of the state, that a block has

// The kernel "rnn_step" of one step, forward or backward.
std::string rnn_text(const RnnProblem& problem);

}  // namespace stoker::cuda
