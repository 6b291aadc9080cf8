#include "core/round_up.h"
#include "kernels/attention_rows.h"
#include "kernels/gemm.h"
#include "kernels/thread_count.h"
#include "ops/attention.h"
#include "sum_order.h"

// Attention in float32: a block of queries against all keys at a time, as matrix products. Each
// thread holds the scores of one block only.
namespace stoker::cpu {
namespace {

constexpr int64_t block_queries = 64;

struct Matrix {
  const float* data;
  int64_t ld;
  bool transposed = false;
};

GemmProblem product(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, float* c,
                    int64_t ldc, bool accumulate = false) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.trans_a = a.transposed, p.trans_b = b.transposed;
  p.a = a.data, p.lda = a.ld, p.b = b.data, p.ldb = b.ld;
  p.c = c, p.ldc = ldc;
  p.epilogue.accumulate = accumulate;
  p.sum_shares = sum_shares();
  return p;
}

// One thread's work, one matrix after the other.
class Blocks {
 public:
  Blocks(const AttentionProblem& p, const float* q, const float* k, const float* v,
         const uint8_t* mask, float* room)
      : p_(p), q_(q), k_(k), v_(v), mask_(mask), weights_(room) {
    of_weights_ = weights_ + block_floats(p);
    scratch_ = of_weights_ + block_floats(p);
  }

  static int64_t room_floats(const AttentionProblem& p) {
    size_t most = 0;
    for (const GemmProblem& one : shapes(p)) most = std::max(most, gemm_workspace_bytes(one));
    return 2 * block_floats(p) + static_cast<int64_t>(ceil_div(most, 64) * 16);
  }

  void forward(int64_t n, float* out, float* logarithms) {
    for (begin_ = 0; begin_ < p_.queries; begin_ += block_queries) {
      enter(n);
      const int64_t at = n * p_.queries + begin_;
      for (int64_t i = 0; i < rows_; ++i)
        logarithms[at + i] = scores_to_weights(weights_ + i * p_.keys, seen_);
      run(product(rows_, p_.values, seen_, {weights_, p_.keys}, {v_of(n), p_.values},
                  out + at * p_.values, p_.values));
    }
  }

  struct Grads {
    const float *out, *logarithms, *of_out;
    float *of_q, *of_k, *of_v;
  };
  void backward(int64_t n, const Grads& g) {
    float *of_k = g.of_k + n * p_.keys * p_.size, *of_v = g.of_v + n * p_.keys * p_.values;
    std::fill_n(of_k, p_.keys * p_.size, 0.0f);
    std::fill_n(of_v, p_.keys * p_.values, 0.0f);
    for (begin_ = 0; begin_ < p_.queries; begin_ += block_queries) {
      enter(n);
      const int64_t at = n * p_.queries + begin_;
      const Matrix of_out{g.of_out + at * p_.values, p_.values};
      for (int64_t i = 0; i < rows_; ++i) weigh(weights_ + i * p_.keys, g.logarithms[at + i]);
      run(product(seen_, p_.values, rows_, {weights_, p_.keys, true}, of_out, of_v, p_.values,
                  true));
      run(product(rows_, seen_, p_.values, of_out, {v_of(n), p_.values, true}, of_weights_,
                  p_.keys));
      for (int64_t i = 0; i < rows_; ++i)
        of_scores(n, i, g.out + (at + i) * p_.values, of_out.data + i * p_.values);
      const Matrix scores{of_weights_, p_.keys};
      run(product(rows_, p_.size, seen_, scores, {k_of(n), p_.size}, g.of_q + at * p_.size,
                  p_.size));
      run(product(seen_, p_.size, rows_, {of_weights_, p_.keys, true}, {q_ + at * p_.size, p_.size},
                  of_k, p_.size, true));
    }
  }

 private:
  static int64_t block_floats(const AttentionProblem& p) {
    return round_up(std::min(block_queries, p.queries) * p.keys, 16);
  }
  static std::vector<GemmProblem> shapes(const AttentionProblem& p) {
    const int64_t rows = std::min(block_queries, p.queries), keys = p.keys;
    const Matrix none{nullptr, 0}, transposed{nullptr, 0, true};
    std::vector<GemmProblem> all;
    for (int64_t seen : {keys, std::min(keys, block_queries)})
      for (int64_t r : {rows, (p.queries - 1) % block_queries + 1}) {
        all.push_back(product(r, seen, p.size, none, transposed, nullptr, 0));
        all.push_back(product(r, p.values, seen, none, none, nullptr, 0));
        all.push_back(product(seen, p.values, r, transposed, none, nullptr, 0, true));
        all.push_back(product(r, seen, p.values, none, transposed, nullptr, 0));
        all.push_back(product(r, p.size, seen, none, none, nullptr, 0));
        all.push_back(product(seen, p.size, r, transposed, none, nullptr, 0, true));
      }
    return all;
  }

  const float* k_of(int64_t n) const { return k_ + n * p_.keys * p_.size; }
  const float* v_of(int64_t n) const { return v_ + n * p_.keys * p_.values; }
  void run(const GemmProblem& problem) { gemm_run(problem, scratch_); }

  // Computes the block's scores. Keys that none of its queries sees are skipped, unless a mask may
  // hide all others.
  void enter(int64_t n) {
    rows_ = std::min(block_queries, p_.queries - begin_);
    seen_ = p_.causal && !p_.masked ? std::min(p_.keys, begin_ + rows_) : p_.keys;
    run(product(rows_, seen_, p_.size, {q_ + (n * p_.queries + begin_) * p_.size, p_.size},
                {k_of(n), p_.size, true}, weights_, p_.keys));
    const auto scale = static_cast<float>(p_.scale);
    for (int64_t i = 0; i < rows_; ++i) {
      float* row = weights_ + i * p_.keys;
      scale_scores(row, seen_, scale);
      hide(n, i, row, hidden_score);
    }
  }
  void hide(int64_t n, int64_t i, float* row, float value) const {
    const uint8_t* mask = p_.mask_row(mask_, n, begin_ + i);
    if (mask)
      for (int64_t j = 0; j < seen_; ++j)
        if (mask[j] == 0) row[j] = value;
    if (p_.causal)
      for (int64_t j = begin_ + i + 1; j < seen_; ++j) row[j] = value;
  }

  void weigh(float* row, float logarithm) const {
    if (logarithm <= hidden_score / 2)
      std::fill_n(row, seen_, 1 / static_cast<float>(p_.keys));
    else
      scores_to_weights(row, seen_, logarithm);
  }
  void of_scores(int64_t n, int64_t i, const float* out, const float* of_out) {
    const auto mean =
        static_cast<float>(sum_of(p_.values, [&](int64_t d) { return out[d] * of_out[d]; }));
    const auto scale = static_cast<float>(p_.scale);
    float *row = of_weights_ + i * p_.keys, *weights = weights_ + i * p_.keys;
    weight_to_score_gradients(row, weights, seen_, scale, mean);
    hide(n, i, row, 0);
  }

  const AttentionProblem& p_;
  const float *q_, *k_, *v_;
  const uint8_t* mask_;
  float *weights_, *of_weights_, *scratch_;
  int64_t begin_ = 0, rows_ = 0, seen_ = 0;
};

bool serves(const NodeView& node, const AttentionProblem& p, std::string& refusal) {
  for (const TensorType& type : node.in)
    if (type.dtype != DType::float32 && type.dtype != DType::boolean)
      refusal = "computes in float32";
  if (p.count == 0 || p.queries == 0 || p.size == 0 || p.values == 0)
    refusal = "an operand is empty";
  return refusal.empty();
}

// A kernel that calls body(blocks, n) for every matrix, in parallel.
template <class Body>
std::unique_ptr<Kernel> blocked(const AttentionProblem& p, size_t mask_at, Body body) {
  const int64_t room = Blocks::room_floats(p);
  const double products =
      static_cast<double>(p.count * p.queries) * static_cast<double>(p.keys * (p.size + p.values));
  const int64_t threads = threads_for_products(products, 8, ThreadPool::global().size()),
                parts = std::min(p.count, threads);
  return make_kernel(
      [=](void* const* a, void* workspace) {
        ThreadPool::global().run(static_cast<int>(parts), [&](int part) {
          Blocks blocks(p, static_cast<const float*>(a[0]), static_cast<const float*>(a[1]),
                        static_cast<const float*>(a[2]),
                        p.masked ? static_cast<const uint8_t*>(a[mask_at]) : nullptr,
                        static_cast<float*>(workspace) + part * room);
          for (int64_t n = p.count * part / parts; n < p.count * (part + 1) / parts; ++n)
            body(a, blocks, n);
        });
      },
      static_cast<uint64_t>(parts * room) * sizeof(float));
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves(node, p, refusal)) return nullptr;
  return blocked(p, 3, [masked = p.masked](void* const* a, Blocks& blocks, int64_t n) {
    void* const* out = a + (masked ? 4 : 3);
    blocks.forward(n, static_cast<float*>(out[0]), static_cast<float*>(out[1]));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves(node, p, refusal)) return nullptr;
  return blocked(p, 6, [masked = p.masked](void* const* a, Blocks& blocks, int64_t n) {
    void* const* out = a + (masked ? 7 : 6);
    blocks.backward(n, {static_cast<const float*>(a[3]), static_cast<const float*>(a[4]),
                        static_cast<const float*>(a[5]), static_cast<float*>(out[0]),
                        static_cast<float*>(out[1]), static_cast<float*>(out[2])});
  });
}

const RegisterKernel attention{"attention", "blocks", optimised, plan_forward};
const RegisterKernel attention_grad{"attention_grad", "blocks", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cpu
