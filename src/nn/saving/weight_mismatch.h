#pragma once
#include <string>
#include <vector>

#include "stoker/shape.h"

// Error messages for weights of a file that do not match a model, the same for every format.
namespace stoker::nn {

std::string missing_in_file(const std::string& name, const TensorType& wanted);
std::string other_in_file(const std::string& name, const TensorType& wanted,
                          const TensorType& stored);
std::string only_in_file(const std::string& name, const TensorType& stored);
bool is_index_below(const std::string& key, size_t count);  // "3" for a list of four or more

[[noreturn]] void refuse_weights(const std::string& file, const std::string& model,
                                 std::vector<std::string> mismatches);

}  // namespace stoker::nn
