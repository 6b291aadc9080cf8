#pragma once
#include <string>

#include "stoker/config.h"

// The allow-list for files: Keras's own classes, and never code.
namespace stoker::nn {

// Throws Unsupported for a class that is not Keras's, or that contains Python code.
void check_origin(const Config& object, const std::string& class_name);

// A name, or an object of an allowed class; a Keras function becomes its name.
Config allowed_object(const Config& object);

}  // namespace stoker::nn
