#include "nn/saving/h5_weights.h"

#include <fmt/format.h>

#include "nn/saving/legacy_h5.h"
#include "nn/saving/saved_state.h"

namespace stoker::nn {

H5Group weights_tree(const Model& model) {
  H5Group root;
  store(saved_groups(*model.network()), root);
  if (model.compiled()) {
    const Optimizer& optimizer = model.optimizer();
    store({saved_group(optimizer)}, root);
    // Keras keeps the state of an optimizer inside twice: with the outer one's, and by itself.
    if (const Optimizer* inner = optimizer.inner_optimizer())
      store({saved_group(*inner, "optimizer/inner_optimizer")}, root);
  }
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
  optimizer.build(model.trainable_variables());
  const bool done = has_legacy_weights(root) ? restore_legacy_optimizer(optimizer, root)
                                             : restore(optimizer, root);
  if (!done)
    fmt::print(stderr,
               "Warning: \"{}\" has no state that fits optimizer \"{}\", which starts afresh.\n",
               file, optimizer.name());
}

}  // namespace stoker::nn
