#pragma once
#include <string>

namespace stoker::nn {

// dense, dense_1, dense_2 …: Keras's automatic names, counted per class for the life of the
// process.
std::string unique_name(const std::string& class_name);

}  // namespace stoker::nn
