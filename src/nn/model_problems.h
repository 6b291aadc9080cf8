#pragma once
#include <string>
#include <vector>

#include "stoker/error.h"

namespace stoker::nn {

// Everything in a model's config that cannot be had.
struct ModelProblems : Unsupported {
  struct Problem {
    std::string path, what;  // "functional/encoder/lambda_3"
  };
  explicit ModelProblems(std::vector<Problem> found);
  std::vector<Problem> problems;
};

}  // namespace stoker::nn
