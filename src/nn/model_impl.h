#pragma once
#include <string>
#include <vector>

#include "nn/training/session.h"
#include "nn/training/trace_results.h"

namespace stoker {
namespace nn {

// The arguments of compile.
struct CompileSettings {
  std::optional<CompileArgs> args;
  Config config = Config::map();    // in Keras's format
  std::optional<bool> scales_loss;  // from a file; else the dtype policy decides
  std::string unused_state;         // a pending warning about unused optimizer state in a file
};

// The names of the layers or Inputs that produced symbolic tensors.
std::vector<std::string> node_names(const std::vector<Tensor>& tensors);
std::vector<std::string> output_names(const Layer& network);  // if known before tracing
std::vector<std::string> output_names(const Layer& network, size_t outputs);

}  // namespace nn

struct Model::Impl {
  LayerRef network;
  std::optional<device::Device> home;  // device of the scope in which it was made
  nn::CompileSettings compiled;
  nn::TraceResults traced;
  nn::StepCache steps;
  nn::Fits fits;
};

}  // namespace stoker
