#pragma once
#include <string>

#include "ops/rnn/rnn_problem.h"

namespace stoker::cuda {

// Behind the arguments of a step's kernel; the text of it is in rnn_text.
struct RnnStep {
  int64_t units, t;
  void *before, *after, *h, *c;
};

constexpr int rnn_rows = 8, rnn_units = 16;  // of the batch and of the state, that a block has

// The kernel "rnn_step" of one step, forward or backward.
std::string rnn_text(const RnnProblem& problem);

}  // namespace stoker::cuda
