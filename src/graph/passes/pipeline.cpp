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
      // After common subexpressions were merged, which would undo recomputation, and before the
      // fusions that recomputed nodes take part in. Runs on request.
      "recompute",
      // Epilogue fusion into matrix products and convolutions.
      "fuse_matmul",
      "fuse_conv2d",
      "fuse_conv2d_bias_grad",
      "fuse_batch_norm",
      "fuse_conv2d_of_product",
      "fold_constants",
      // The softmax head of a classifier.
      "fuse_softmax_head",
      "fuse_dense_softmax_head",
      "pad_classes",
      // Many small nodes of one kind become one.
      "fuse_updates",
      "fuse_gathers",
      "fuse_casts",
      // Elementwise fusion of what is left; nodes are recomputed if that saves a tensor in memory.
      "repeat_elementwise",
      "fuse_elementwise",
      "merge_all_reduces",  // sums over the processes of a training
      "schedule",
  };
  return order;
}

}  // namespace stoker::graph
