#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Softmax, loss and gradient of very many classes in one launch.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 512;

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t rows = node.in[1].shape[0], columns = node.in[1].shape[1];
  if (rows == 0) {
    refusal = "there are no rows";
    return nullptr;
  }
  int64_t width = 16 / static_cast<int64_t>(size_of(dtype));
  while (columns % width != 0) width /= 2;
  const bool gradient = node.flag("gradient");
  const int64_t blocks = std::min<int64_t>(rows, 4 * current_gpu().multiprocessors);
  const auto function = make_function(KernelSource("normalization/wide_softmax_head.cuh")
                                          .type("element_t", dtype)
                                          .type("label_t", label)
                                          .constant("width", width)
                                          .constant("threads", threads)
                                          .constant("classes", node.integer("classes"))
                                          .constant("columns", columns)
                                          .constant("with_gradient", gradient),
                                      "wide_softmax_head");
  return make_kernel(
      {function},
      [=, bytes = width * static_cast<int64_t>(size_of(dtype))](Encoder& encoder, void* const* a,
                                                                void* parts) {
        void* const none = nullptr;
        void* const* out = a + (gradient ? 3 : 2);
        const bool aligned = is_aligned(a[1], bytes) && (!gradient || is_aligned(out[1], bytes));
        encoder.launch(*function,
                       {.blocks = static_cast<unsigned int>(blocks),
                        .threads = static_cast<unsigned int>(threads)},
                       a[0], a[1], gradient ? a[2] : none, out[0], gradient ? out[1] : none, parts,
                       rows, static_cast<int>(aligned));
      },
      static_cast<uint64_t>(blocks * (dtype == DType::float64 ? 8 : 4)));
}

const RegisterKernel head{"wide_softmax_head", "rows", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
