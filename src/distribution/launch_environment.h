#pragma once
#include <functional>
#include <optional>
#include <string>

#include "stoker/distribution.h"

namespace stoker::distribution {

// The launcher's information about this process: rank and size.
struct LaunchEnvironment {
  int rank = 0, size = 1;
  std::string source = "";  // its source: "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE"
  // "host:port", at which rank 0 can be reached; empty: unknown, or the launcher is MPI's.
  std::string address = "";
};

// Looks up an environment variable; null: not set.
using GetVariable = std::function<const char*(const char* name)>;

// The first of these that is set: the program's arguments and Keras's KERAS_DISTRIBUTION_*, Open
// MPI's and PMIx's variables, RANK and WORLD_SIZE (torchrun, Kubeflow, Ray), Slurm's steps,
// TF_CONFIG. Throws InvalidArgument if two of them contradict each other, or if one is not a number
// in its range.
std::optional<LaunchEnvironment> read_launch_environment(const GetVariable& get,
                                                         const InitializeArgs& args = {});

}  // namespace stoker::distribution
