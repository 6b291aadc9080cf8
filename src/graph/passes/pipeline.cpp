#include "graph/passes/pipeline.h"

namespace stoker::graph {

// A new pass is a file of its own and a line here.
const std::vector<std::string>& pipeline() {
  static const std::vector<std::string> order{
      "simplify",
      // Whole patterns of a training step, before their parts are fused with anything else.
      "fuse_dense_stack",
      "fuse_row_updates",
      "fuse_conditional_adam",
      // After equal nodes were merged, which would merge the copies with what they copy, and before
      // the fusions that they take part in. Runs where it is wanted.
      "recompute",
      // Epilogues into matrix products and convolutions.
      "fuse_matmul",
      "fuse_conv2d",
      "fuse_conv2d_bias_grad",
      "fuse_batch_norm",
      "fuse_conv2d_of_product",
      "fold_constants",
      // The end of a classifier.
      "fuse_softmax_head",
      "fuse_dense_softmax_head",
      "pad_classes",
      // Many small nodes of one kind into one.
      "fuse_updates",
      "fuse_gathers",
      "fuse_casts",
      // Chains of what is left; repeated where that saves a tensor between two of them.
      "repeat_elementwise",
      "fuse_elementwise",
      "merge_all_reduces",  // sums over the processes of a training
      "schedule",
  };
  return order;
}

}  // namespace stoker::graph
