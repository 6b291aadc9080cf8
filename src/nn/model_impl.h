#pragma once
#include <string>
#include <vector>

#include "nn/training/session.h"
#include "nn/training/trace_results.h"

namespace stoker {
namespace nn {

// What compile was given.
struct CompileSettings {
  std::optional<CompileArgs> args;
  Config config = Config::map();    // in Keras's form
  std::optional<bool> scales_loss;  // what a file says; else the policy decides
  std::string unused_state;         // a warning about the optimizer's in a file, until it is given
};

// Of a description's tensors: the layers, or Inputs, they come from.
std::vector<std::string> node_names(const std::vector<Tensor>& tensors);
std::vector<std::string> output_names(const Layer& network);  // as far as its description tells
std::vector<std::string> output_names(const Layer& network, size_t outputs);

}  // namespace nn

struct Model::Impl {
  LayerRef network;
  std::optional<device::Device> home;  // of the scope it was made in
  nn::CompileSettings compiled;
  nn::TraceResults traced;
  nn::StepCache steps;
  nn::Fits fits;
};

}  // namespace stoker
