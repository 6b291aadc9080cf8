#include "nn/saving/h5_weights.h"

#include <fmt/format.h>

#include "nn/model_impl.h"
#include "nn/saving/legacy_h5.h"
#include "nn/saving/optimizer_state.h"
#include "stoker/say.h"

namespace stoker::nn {

H5Group weights_tree(const Model& model) {
  H5Group root;
  store(saved_groups(*model.network()), root);
  if (model.compiled()) store(optimizer_groups(model.optimizer()), root);
  return root;
}

void restore_weights(Model& model, const H5Group& root, const std::string& file) {
  if (has_legacy_weights(root))
    restore_legacy_weights(*model.network(), root, file);
  else
    restore(saved_groups(*model.network()), root, file);
}

void restore_optimizer(Model& model, const H5Group& root, const std::string& file) {
  Optimizer& optimizer = model.optimizer();
  const auto weights = model.trainable_variables();
  optimizer.build(weights);
  const std::string problem = has_legacy_weights(root)
                                  ? restore_legacy_optimizer(optimizer, weights, root)
                                  : restore_state(optimizer, weights, root);
  if (!problem.empty())
    model.impl().compiled.unused_state = fmt::format(
        "the optimizer state in \"{}\" does not fit optimizer \"{}\", which starts with a fresh "
        "state: {}.",
        file, optimizer.name(), problem);
}

void warn_of_unused_state(Model::Impl& model) {
  std::string& warning = model.compiled.unused_state;
  if (!warning.empty()) say(stderr, fmt::format("Warning: {}\n", warning));
  warning.clear();
}

}  // namespace stoker::nn
