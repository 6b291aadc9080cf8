#pragma once
#include <string>
#include <vector>

#include "stoker/model.h"

// What compile was given, as Keras's files keep it: {optimizer, loss, loss_weights, metrics, …}.
namespace stoker::nn {

Config serialize_optimizer(const Optimizer& optimizer);
Config serialize_compile(const CompileArgs& args);

// The names are those of the model's outputs, by which a table tells what belongs to which. What
// cannot be had is added to the problems, one line each.
CompileArgs deserialize_compile(const Config& config, const std::vector<std::string>& output_names,
                                std::vector<std::string>& problems);

// Compiles with what is known of a file's settings, and keeps them all for the next file.
void compile_as_stored(Model& model, const CompileArgs& args, const Config& settings);

}  // namespace stoker::nn
