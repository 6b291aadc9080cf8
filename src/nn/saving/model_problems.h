#pragma once
#include <string>
#include <vector>

#include "stoker/error.h"

namespace stoker::nn {

// Without the list of known names, which helps with a typo but not with a file.
std::string short_text(const Error& error);

// Everything in a model's config that is not supported.
struct ModelProblems : Unsupported {
  struct Problem {
    std::string path, what;  // "functional/encoder/lambda_3"
  };
  explicit ModelProblems(std::vector<Problem> found);
  std::vector<Problem> problems;
};

}  // namespace stoker::nn
