#pragma once
#include "stoker/callback.h"
#include "stoker/config.h"

namespace stoker::callbacks {

struct TensorBoardArgs {
  std::string log_dir = "logs";
  int64_t histogram_freq = 0;  // epochs between histograms of the weights; 0: none
  bool write_graph = true;     // the layers, and the ops of the compiled step
  bool write_images = false;   // images of weights, with histograms; not supported
  bool write_steps_per_second = false;
  Config update_freq = "epoch";  // or "batch", or a number of batches
  Config profile_batch = 0;      // steps to profile: one, or {first, last}; 0: FitArgs::profile
  int64_t embeddings_freq = 0;   // embeddings are not supported
  Config embeddings_metadata = {};
};
// Writes metrics for TensorBoard to log_dir/train and log_dir/validation: epoch_…, batch_… if
// update_freq requests them, and evaluation_…_vs_iterations; to train also the graphs. Profiled
// steps (FitArgs::profile) go to log_dir/plugins/profile, for the plugin of
// tensorboard-plugin-profile.
CallbackRef TensorBoard(const TensorBoardArgs& args = {});

}  // namespace stoker::callbacks
