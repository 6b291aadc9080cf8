#pragma once
#include <string>

#include "stoker/config.h"

// The allow-list: what a file may name is what Keras itself has, and never code.
namespace stoker::nn {

// Throws Unsupported if the object is of somebody else's class, or holds Python code.
void check_origin(const Config& object, const std::string& class_name);

// A name, or an object of an allowed class; a function of Keras's is its name.
Config allowed_object(const Config& object);

}  // namespace stoker::nn
