#pragma once
#include <string>
#include <vector>

#include "stoker/model.h"

// The arguments of compile in Keras's file format: {optimizer, loss, loss_weights, metrics, …}.
namespace stoker::nn {

Config serialize_optimizer(const Optimizer& optimizer);
Config serialize_compile(const CompileArgs& args);

// `outputs`: the model's output names, which dicts use as keys. Unsupported entries are appended to
// the problems, one line each.
CompileArgs deserialize_compile(const Config& config, const std::vector<std::string>& output_names,
                                std::vector<std::string>& problems);

// Compiles with the supported part of a file's settings, and keeps all of them for saving.
void compile_as_stored(Model& model, const CompileArgs& args, const Config& settings);

}  // namespace stoker::nn
