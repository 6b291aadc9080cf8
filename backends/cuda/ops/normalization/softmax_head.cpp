#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// Softmax, loss, accuracy and gradient of few classes in one launch.
namespace stoker::cuda {
namespace {

// All rows at once in as few and large blocks as possible: loops and synchronisation of blocks take
// longer than the arithmetic. 0: not even the smallest block has enough memory for its sums.
int64_t threads_for(int64_t wanted, int64_t bytes_each) {
  constexpr int64_t shared_bytes = 40 << 10;
  int64_t threads = 1024;
  while (threads > 128 && (threads >= 2 * wanted || threads * bytes_each > shared_bytes))
    threads /= 2;
  return threads * bytes_each <= shared_bytes ? threads : 0;
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t rows = node.in[1].shape[0], classes = node.in[1].shape[1];
  const int64_t lanes = lanes_for_row(classes), slots = ceil_div(classes, lanes) + 2;
  const int64_t value_bytes = dtype == DType::float64 ? 8 : 4;
  const int64_t threads = threads_for(rows * lanes, slots * value_bytes);
  if (rows == 0 || classes == 0 || threads == 0) {
    refusal = fmt::format("{} rows of {} do not fit into registers", rows, classes);
    return nullptr;
  }
  const bool gradient = node.flag("gradient");
  const int64_t blocks =
      std::clamp<int64_t>(ceil_div(rows * lanes, threads), 1, current_gpu().multiprocessors);
  const auto function = make_function(KernelSource("normalization/softmax_head.cuh")
                                          .type("element_t", dtype)
                                          .type("label_t", label)
                                          .constant("n", classes)
                                          .constant("threads", threads)
                                          .constant("lanes", lanes)
                                          .constant("with_gradient", gradient),
                                      "softmax_head");
  return make_kernel(
      {function},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        void* const* out = a + (gradient ? 3 : 2);
        void* const none = nullptr;
        encoder.launch(*function,
                       {.blocks = static_cast<unsigned int>(blocks),
                        .threads = static_cast<unsigned int>(threads)},
                       a[0], a[1], gradient ? a[2] : none, out[0], out[1], gradient ? out[2] : none,
                       gradient ? out[3] : none, workspace, rows);
      },
      static_cast<uint64_t>(blocks > 1 ? blocks * lanes * slots * value_bytes : 0));
}

const RegisterKernel head{"softmax_head", "registers", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
