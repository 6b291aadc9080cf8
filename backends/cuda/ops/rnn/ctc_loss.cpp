#include "ops/support.h"

namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[1].dtype;
  if (refuse_non_floats(dtype, refusal) || refuse_non_indices(node.in[0].dtype, refusal))
    return nullptr;
  const int64_t batch = node.in[1].shape[0];
  const auto length = static_cast<int>(node.in[0].shape[1]),
             times = static_cast<int>(node.in[1].shape[1]),
             classes = static_cast<int>(node.in[1].shape[2]);
  if (batch == 0) return do_nothing();
  const auto function = make_function(
      KernelSource("rnn/ctc_loss.cuh").type("element_t", dtype).type("index_t", node.in[0].dtype),
      "ctc_loss");
  const uint64_t value = dtype == DType::float64 ? sizeof(double) : sizeof(float);
  const auto scratch =
      static_cast<uint64_t>(batch * (times + 2) * (2 * int64_t{length} + 1)) * value;
  return make_kernel(
      {function},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        encoder.launch(*function, {.blocks = static_cast<unsigned int>(batch), .threads = 128},
                       a[0], a[1], a[2], a[3], workspace, length, times, classes);
      },
      scratch);
}

const RegisterKernel ctc_loss{"ctc_loss", "states", reference, plan};

}  // namespace
}  // namespace stoker::cuda
