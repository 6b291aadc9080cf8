#include "core/round_up.h"
#include "ops/attention/attention_text.h"
#include "ops/gemm/cublaslt_matmul.h"

// Attention in single and double precision: matrix products by cuBLASLt, as many matrices at once
// as their scores fit into a bounded workspace, with a kernel of one block per row in between.
namespace stoker::cuda {
namespace {

constexpr int64_t most_score_bytes = int64_t{256} << 20;

// c = op(a) op(b) for `batch` matrices.
struct Sizes {
  int64_t m, n, k;
  bool trans_a = false, trans_b = false;
};
class BatchGemm {
 public:
  BatchGemm(const AttentionProblem& p, int64_t batch, const Sizes& s)
      : product_(product_of(p, batch, s), p.dtype, false) {}
  uint64_t workspace() const { return product_.workspace(); }
  void encode(const Gpu& gpu, void* a, void* b, void* c, void* workspace) const {
    GemmArguments x{};
    x.a = a, x.b = b;
    product_.encode(gpu, x, c, workspace);
  }

 private:
  static Gemm product_of(const AttentionProblem& p, int64_t batch, const Sizes& s) {
    Gemm product;
    product.m = s.m, product.n = s.n, product.k = s.k, product.batch = batch;
    product.trans_a = s.trans_a, product.trans_b = s.trans_b;
    product.in = product.out = p.dtype;
    return product;
  }
  CublasltGemm product_;
};

// The work on `batch` matrices at a time.
struct Forward {
  Forward(const AttentionProblem& p, int64_t batch)
      : scores(p, batch, {p.queries, p.keys, p.size, false, true}),
        results(p, batch, {p.queries, p.values, p.keys}) {}
  uint64_t workspace() const { return std::max(scores.workspace(), results.workspace()); }
  BatchGemm scores, results;
};
struct Backward {
  Backward(const AttentionProblem& p, int64_t batch)
      : scores(p, batch, {p.queries, p.keys, p.size, false, true}),
        of_weights(p, batch, {p.queries, p.keys, p.values, false, true}),
        of_q(p, batch, {p.queries, p.size, p.keys}),
        of_k(p, batch, {p.keys, p.size, p.queries, true, false}),
        of_v(p, batch, {p.keys, p.values, p.queries, true, false}) {}
  uint64_t workspace() const {
    return std::max({scores.workspace(), of_weights.workspace(), of_q.workspace(), of_k.workspace(),
                     of_v.workspace()});
  }
  BatchGemm scores, of_weights, of_q, of_k, of_v;
};

bool serves(const AttentionProblem& p, std::string& refusal) {
  if (p.dtype != DType::float32 && p.dtype != DType::float64)
    refusal = "computes in single and double precision";
  else if (p.count == 0 || p.queries == 0 || p.size == 0 || p.values == 0)
    refusal = "an operand is empty";
  else if (!current_gpu().context)
    refusal = "there is no GPU to choose an algorithm for";
  return refusal.empty();
}

// All matrices in chunks; a smaller last chunk has its own products.
template <class Chunk>
struct Chunks {
  explicit Chunks(const AttentionProblem& p)
      : each(std::clamp<int64_t>(most_score_bytes / score_bytes(p, 1), 1, p.count)),
        whole(std::make_shared<Chunk>(p, each)),
        rest(p.count % each ? std::make_shared<Chunk>(p, p.count % each) : nullptr) {}
  static int64_t score_bytes(const AttentionProblem& p, int64_t batch) {
    return batch * p.queries * p.keys * static_cast<int64_t>(size_of(p.dtype));
  }
  uint64_t workspace() const {
    return std::max(whole->workspace(), rest ? rest->workspace() : uint64_t{0});
  }
  template <class F>
  void for_each(int64_t count, F&& f) const {
    for (int64_t first = 0; first < count; first += each)
      f(first, std::min(each, count - first), first + each <= count ? *whole : *rest);
  }
  int64_t each;
  std::shared_ptr<Chunk> whole, rest;
};

uint64_t aligned(int64_t bytes) { return round_up(static_cast<uint64_t>(bytes), 256); }
void* moved(void* base, int64_t elements, DType dtype) {
  return static_cast<char*>(base) + elements * static_cast<int64_t>(size_of(dtype));
}

std::unique_ptr<Kernel> forward(const AttentionProblem& p) {
  const Chunks<Forward> chunks(p);
  const uint64_t scores_bytes = aligned(Chunks<Forward>::score_bytes(p, chunks.each));
  const auto weights =
      make_function(attention_source("attention/rows_forward.cuh", p), "to_weights");
  return make_kernel(
      {weights},
      [=](Encoder& encoder, void* const* a, void* scores) {
        const AttentionArguments x = bind(p, false, a);
        void* room = static_cast<char*>(scores) + scores_bytes;
        const auto part = [&](void* base, int64_t first, int64_t rows, int64_t columns) {
          return moved(base, first * rows * columns, p.dtype);
        };
        chunks.for_each(p.count, [&](int64_t first, int64_t batch, const Forward& products) {
          void *q = part(x.q, first, p.queries, p.size), *k = part(x.k, first, p.keys, p.size);
          products.scores.encode(encoder.gpu(), q, k, scores, room);
          encoder.launch(*weights, {.blocks = static_cast<unsigned int>(batch * p.queries)}, x,
                         scores, first);
          products.results.encode(encoder.gpu(), scores, part(x.v, first, p.keys, p.values),
                                  part(x.out, first, p.queries, p.values), room);
        });
      },
      scores_bytes + chunks.workspace());
}

std::unique_ptr<Kernel> backward(const AttentionProblem& p) {
  const Chunks<Backward> chunks(p);
  const uint64_t scores_bytes = aligned(Chunks<Backward>::score_bytes(p, chunks.each));
  const auto score_gradients =
      make_function(attention_source("attention/rows_backward.cuh", p), "to_score_gradients");
  return make_kernel(
      {score_gradients},
      [=](Encoder& encoder, void* const* a, void* scores) {
        const AttentionArguments x = bind(p, true, a);
        const Gpu& gpu = encoder.gpu();
        void* of_scores = static_cast<char*>(scores) + scores_bytes;
        void* room = static_cast<char*>(of_scores) + scores_bytes;
        const auto part = [&](void* base, int64_t first, int64_t rows, int64_t columns) {
          return moved(base, first * rows * columns, p.dtype);
        };
        chunks.for_each(p.count, [&](int64_t first, int64_t batch, const Backward& products) {
          void *q = part(x.q, first, p.queries, p.size), *k = part(x.k, first, p.keys, p.size);
          void* of_out = part(x.of_out, first, p.queries, p.values);
          products.scores.encode(gpu, q, k, scores, room);
          products.of_weights.encode(gpu, of_out, part(x.v, first, p.keys, p.values), of_scores,
                                     room);
          encoder.launch(*score_gradients, {.blocks = static_cast<unsigned int>(batch * p.queries)},
                         x, scores, of_scores, first);
          products.of_q.encode(gpu, of_scores, k, part(x.of_q, first, p.queries, p.size), room);
          products.of_k.encode(gpu, of_scores, q, part(x.of_k, first, p.keys, p.size), room);
          products.of_v.encode(gpu, scores, of_out, part(x.of_v, first, p.keys, p.values), room);
        });
      },
      2 * scores_bytes + chunks.workspace());
}

template <std::unique_ptr<Kernel> (*make)(const AttentionProblem&)>
std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves(p, refusal)) return nullptr;
  try {
    return make(p);
  } catch (const CudaError& error) {
    refusal = error.what();
    return nullptr;
  }
}

const RegisterKernel attention{"attention", "cublaslt", optimised, plan<forward>};
const RegisterKernel attention_grad{"attention_grad", "cublaslt", optimised, plan<backward>};

}  // namespace
}  // namespace stoker::cuda
