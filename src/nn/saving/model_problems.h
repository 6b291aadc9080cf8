#pragma once
#include <string>
#include <vector>

#include "stoker/error.h"

namespace stoker::nn {

// Without a list of everything known, which helps a person who mistyped, not one with a file.
std::string short_text(const Error& error);

// Everything in a model's config that cannot be had.
struct ModelProblems : Unsupported {
  struct Problem {
    std::string path, what;  // "functional/encoder/lambda_3"
  };
  explicit ModelProblems(std::vector<Problem> found);
  std::vector<Problem> problems;
};

}  // namespace stoker::nn
