#include "core/round_up.h"
#include "kernels/gemm.h"
#include "kernels/thread_count.h"
#include "ops/gemm_problem.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Batch {
  int64_t count, a_step, b_step, c_step;  // elements between consecutive matrices
};

Batch batch_of(const GemmProblem& p, const NodeView& node) {
  return {node.out[0].shape[0], p.m * p.k, p.k * p.n, p.m * p.n};
}

template <class T>
void multiply(const GemmProblem& p, const T* a, const T* b, T* c) {
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j)
      c[i * p.n + j] = static_cast<T>(sum_of(p.k, [&](int64_t k) {
        return static_cast<double>(a[p.trans_a ? k * p.lda + i : i * p.lda + k]) *
               static_cast<double>(b[p.trans_b ? j * p.ldb + k : k * p.ldb + j]);
      }));
}

std::unique_ptr<Kernel> plan_plain(const NodeView& node, std::string& refusal) {
  const GemmProblem p = gemm_problem(node);
  const Batch batch = batch_of(p, node);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p, batch](void* const* args, void*) {
      parallel_for(batch.count, grain_for(batch.c_step * p.k), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          multiply(p, static_cast<const T*>(args[0]) + i * batch.a_step,
                   static_cast<const T*>(args[1]) + i * batch.b_step,
                   static_cast<T*>(args[2]) + i * batch.c_step);
      });
    });
  });
}

// Threads process separate matrices with separate workspaces; with fewer matrices than threads, all
// threads share each product.
std::unique_ptr<Kernel> plan_gemm(const NodeView& node, std::string& refusal) {
  const GemmProblem p = gemm_problem(node);
  const Batch batch = batch_of(p, node);
  if (!node.all_are(DType::float32))
    refusal = "computes in float32";
  else if (p.m == 0 || p.n == 0 || p.k == 0 || batch.count == 0)
    refusal = "an operand is empty";
  if (!refusal.empty()) return nullptr;
  const double products = static_cast<double>(batch.count * p.m) * static_cast<double>(p.n * p.k);
  const int threads = threads_for_products(products, 8, ThreadPool::global().size());
  const int64_t parts = batch.count >= threads ? threads : 1;
  const uint64_t room = round_up(gemm_workspace_bytes(p), 64);
  return make_kernel(
      [=](void* const* args, void* workspace) {
        const auto run = [&](int part) {
          GemmProblem now = p;
          for (int64_t i = batch.count * part / parts; i < batch.count * (part + 1) / parts; ++i) {
            now.a = static_cast<const float*>(args[0]) + i * batch.a_step;
            now.b = static_cast<const float*>(args[1]) + i * batch.b_step;
            now.c = static_cast<float*>(args[2]) + i * batch.c_step;
            gemm_run(now, static_cast<char*>(workspace) + static_cast<uint64_t>(part) * room);
          }
        };
        if (parts == 1)
          run(0);
        else
          ThreadPool::global().run(static_cast<int>(parts), run);
      },
      room * static_cast<uint64_t>(parts));
}

const RegisterKernel plain{"batch_matmul", "plain", reference, plan_plain};
const RegisterKernel gemm{"batch_matmul", "gemm", optimised, plan_gemm};

}  // namespace
}  // namespace stoker::cpu
