#pragma once
#include <string>

#include "ops/rnn/rnn_problem.h"

namespace stoker::cuda {

enum class RnnMaths { exact, fast };  // of the gates' functions

// What every recurrent kernel's text begins with: `T` and the type `Acc` that is computed in, the
// problem's constants, the arguments, and what a cell does in a step and back through one.
std::string rnn_cell_text(const RnnProblem& problem, RnnMaths maths);

}  // namespace stoker::cuda
