#pragma once
#include <set>
#include <string>

#include "differential/family.h"

namespace stoker::differential {

// docs/keras.md: every public name of Keras, whether it is supported, on which devices, or why not.
std::string keras_page();

// The ops of a layer's step, forward and backward.
std::set<std::string> ops_of_layer(const Family& family, const Config& record);

}  // namespace stoker::differential
