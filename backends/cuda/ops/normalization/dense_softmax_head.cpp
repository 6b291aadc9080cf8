#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// The last Dense layer, softmax, loss and their gradients in one launch.
namespace stoker::cuda {
namespace {

constexpr int64_t most_classes = 32, most_features = 1024, warps = 8, slots = most_classes + 2;
constexpr int64_t sums_bytes = warps * (slots + 32) * 4;  // of shared memory, without the weights

// Features are padded so that neighbouring classes are in different banks.
int64_t weight_bytes(int64_t features, int64_t classes) {
  return classes * (round_up(features, 128) + 4) * 4;
}

std::string refused(const NodeView& node) {
  const DType dtype = node.in[1].dtype;
  const int64_t rows = node.in[1].shape[0], features = node.in[1].shape[1],
                classes = node.in[2].shape[1], room = current_gpu().shared_memory;
  if (!is_integer(node.in[0].dtype)) return "labels are not integers";
  if (!is_floating(dtype) || dtype == DType::float64)
    return fmt::format("does not compute in {}", name_of(dtype));
  if (rows == 0 || classes == 0 || classes > most_classes || features > most_features ||
      features % 4 != 0 || weight_bytes(features, classes) + sums_bytes > room)
    return fmt::format("{} x {} weights do not fit into shared memory", features, classes);
  // A block's eight warps read all weights for a few rows each.
  if (features * classes > 64 * rows) return "too few rows for so many weights";
  return "";
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  refusal = refused(node);
  if (!refusal.empty()) return nullptr;
  const int64_t rows = node.in[1].shape[0], features = node.in[1].shape[1],
                classes = node.in[2].shape[1], cores = current_gpu().multiprocessors;
  // Two samples share every weight that is read, if there are enough of them.
  const int64_t rows_each = rows >= 2 * cores * warps && classes <= 16 ? 2 : 1;
  const int64_t blocks = std::clamp<int64_t>(ceil_div(rows, warps * rows_each), 1, 2 * cores);
  const auto function = make_function(KernelSource("normalization/dense_softmax_head.cuh")
                                          .type("element_t", node.in[1].dtype)
                                          .type("label_t", node.in[0].dtype)
                                          .constant("n", classes)
                                          .constant("features", features)
                                          .constant("rows_each", rows_each)
                                          .constant("warps", warps)
                                          .constant("slots", slots)
                                          .constant("with_mask", node.flag("mask")),
                                      "dense_softmax_head");
  const LaunchShape shape{
      .blocks = static_cast<unsigned int>(blocks),
      .threads = warps * 32,
      .shared_bytes = static_cast<unsigned int>(weight_bytes(features, classes))};
  return make_kernel(
      {function},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        encoder.launch(*function, shape, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                       workspace, rows);
      },
      static_cast<uint64_t>(blocks * slots * 4));
}

const RegisterKernel head{"dense_softmax_head", "warps", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
