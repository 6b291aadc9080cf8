#pragma once
#include <string>

#include "nn/profile/run_notes.h"

namespace stoker::nn {

// Profiled steps as an XSpace, what XProf's and TensorBoard's profile pages read (`*.xplane.pb`):
// the training thread with its steps, the threads of the input pipeline, the device's calls by
// layer and op. `device`: "/gpu:0".
std::string xspace(const ProfiledSteps& profile, const std::string& device,
                   const std::string& host_name);

// A callback that requests the profiling of steps; FitArgs::profile has precedence.
struct WantsProfile {
  virtual ~WantsProfile() = default;
  virtual ProfileSteps profile_steps() const = 0;
};

}  // namespace stoker::nn
