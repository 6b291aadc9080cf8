#include "ops/attention/attention_text.h"

namespace stoker::cuda {
namespace {

const char* const text = R"cuda(
typedef Compute<In>::type Acc;
struct Arguments {
  const In *q, *k, *v;
  const uint8_t* mask;
  In* out;
  Acc* logs;
  const In* of_out;
  In *of_q, *of_k, *of_v;
  Acc* delta;
  int64_t count, queries, keys, per_mask, mask_rows;
};
// Stands for the score of a key that is not seen: a row of nothing else still has a softmax, in which all
// keys weigh the same.
constexpr float HIDDEN = -1e30f;
__device__ __forceinline__ bool sees(const Arguments& x, int64_t n, int64_t query, int64_t key) {
  if (CAUSAL && key > query) return false;
  return !MASKED || x.mask[(n / x.per_mask * x.mask_rows + (x.mask_rows == 1 ? 0 : query)) * x.keys + key] != 0;
}
__device__ __forceinline__ Acc weight_of(Acc score, Acc log, int64_t keys) {
  return log <= HIDDEN / 2 ? Acc(1) / Acc(keys) : exp_(score - log);
}
)cuda";

}  // namespace

AttentionProblem::AttentionProblem(const NodeView& node)
    : count(node.in[0].shape[0]),
      queries(node.in[0].shape[1]),
      keys(node.in[1].shape[1]),
      size(node.in[0].shape[2]),
      values(node.in[2].shape[2]),
      scale(node.number("scale", 1)),
      causal(node.flag("causal")),
      masked(node.flag("masked")),
      dtype(node.in[0].dtype) {
  if (!masked) return;
  const Shape& mask = node.in.back().shape;
  per_mask = count / mask[0];
  mask_rows = mask[1];
}

AttentionArguments bind(const AttentionProblem& p, bool backward, void* const* a, void* delta) {
  AttentionArguments x{};
  x.q = a[0], x.k = a[1], x.v = a[2];
  if (backward) {
    x.out = a[3], x.logs = a[4], x.of_out = a[5];
    if (p.masked) x.mask = a[6];
    void* const* out = a + (p.masked ? 7 : 6);
    x.of_q = out[0], x.of_k = out[1], x.of_v = out[2];
  } else {
    if (p.masked) x.mask = a[3];
    void* const* out = a + (p.masked ? 4 : 3);
    x.out = out[0], x.logs = out[1];
  }
  x.delta = delta;
  x.count = p.count, x.queries = p.queries, x.keys = p.keys;
  x.per_mask = p.per_mask, x.mask_rows = p.mask_rows;
  return x;
}

std::string attention_text(const AttentionProblem& p) {
  const bool wide = p.dtype == DType::float64;
  return fmt::format(
             "typedef {} In;\n#define CAUSAL {:d}\n#define MASKED {:d}\n#define SIZE {}\n"
             "#define VALUES {}\n#define SCALE {:.17g}\n#define exp_ {}\n#define log_ {}\n",
             type_name(p.dtype), p.causal, p.masked, p.size, p.values, p.scale,
             wide ? "exp" : "expf", wide ? "log" : "logf") +
         text;
}

}  // namespace stoker::cuda
