#include "ops/rnn/rnn_persistent_text.h"

namespace stoker::cuda {
std::string rnn_persistent_text(const RnnProblem& p, const RnnLayout& at) {
  KernelSource source = rnn_source(
      p.backward ? "rnn/persistent_backward.cuh" : "rnn/persistent_forward.cuh", p, RnnMaths::fast);
  source.macro("SIXTEEN_BIT", is_half(p.dtype))
      .constant("THREADS", rnn_threads)
      .constant("PARTS", rnn_parts(p.dtype))
      .constant("CLUSTER", at.cluster)
      .constant("UNITS", p.units)
      .constant("OWN", at.own)
      .constant("ROWS", at.rows)
      .constant("K_WARPS", at.k_warps)
      .constant("TILES", at.tiles)
      .constant("GROUPS", at.groups)
      .constant("STRIDE", at.stride)
      .constant("MESSAGE", at.message);
  if (is_half(p.dtype))
    source.type("In", p.dtype).macro("HALF", p.dtype == DType::bfloat16 ? "\"bf16\"" : "\"f16\"");
  return source;
}

}  // namespace stoker::cuda
