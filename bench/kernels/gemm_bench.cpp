#include <cblas.h>
#include <fmt/core.h>

#include "kernels/gemm.h"
#include "measure.h"

namespace stoker::bench {
namespace {

struct Shape {
  const char* name;
  int64_t m, n, k;
  bool ta, tb;
  enum { kStore, kMask, kAdam } kind;
};

constexpr Shape kShapes[] = {
    {"mlp128 b1 forward", 1, 128, 784, false, false, Shape::kStore},
    {"mlp128 b1 dW+Adam", 784, 128, 1, true, false, Shape::kAdam},
    {"mlp128 b32 forward", 32, 128, 784, false, false, Shape::kStore},
    {"mlp128 b32 logits", 32, 10, 128, false, false, Shape::kStore},
    {"mlp128 b32 dX", 32, 128, 10, false, true, Shape::kMask},
    {"mlp128 b32 dW+Adam", 784, 128, 32, true, false, Shape::kAdam},
    {"mlp128 b32 dW2+Adam", 128, 10, 32, true, false, Shape::kAdam},
    {"mlp128 b1024 forward", 1024, 128, 784, false, false, Shape::kStore},
    {"mlp128 b1024 dX", 1024, 128, 10, false, true, Shape::kMask},
    {"mlp128 b1024 dW+Adam", 784, 128, 1024, true, false, Shape::kAdam},
    {"mlp1024 b1 forward", 1, 1024, 1024, false, false, Shape::kStore},
    {"mlp1024 b1 dX", 1, 1024, 1024, false, true, Shape::kMask},
    {"mlp1024 b32 forward", 32, 1024, 1024, false, false, Shape::kStore},
    {"mlp1024 b32 dX", 32, 1024, 1024, false, true, Shape::kMask},
    {"mlp1024 b32 dW+Adam", 1024, 1024, 32, true, false, Shape::kAdam},
    {"mlp1024 b64 forward", 64, 1024, 1024, false, false, Shape::kStore},
    {"mlp1024 b1024 forward", 1024, 1024, 1024, false, false, Shape::kStore},
    {"mlp1024 b1024 dX", 1024, 1024, 1024, false, true, Shape::kMask},
    {"mlp1024 b1024 dW+Adam", 1024, 1024, 1024, true, false, Shape::kAdam},
    {"2048 cubed", 2048, 2048, 2048, false, false, Shape::kStore},
    {"cnn28 b64 dense", 64, 10, 5408, false, false, Shape::kStore},
    {"cnn28 b1024 dense", 1024, 10, 5408, false, false, Shape::kStore},
    {"cnn28 b1024 dX", 1024, 5408, 10, false, true, Shape::kMask},
    {"cnn28 b1024 dW+Adam", 5408, 10, 1024, true, false, Shape::kAdam},
    {"cnn128 b32 dense", 32, 10, 508032, false, false, Shape::kStore},
    {"cnn128 b32 dX", 32, 508032, 10, false, true, Shape::kMask},
    {"cnn128 b32 dW+Adam", 508032, 10, 32, true, false, Shape::kAdam},
};

void bench_shape(const Shape& s) {
  Buffer a(s.m * s.k), b(s.k * s.n), c(s.m * s.n), mask(s.m * s.n);
  const bool adam = s.kind == Shape::kAdam;
  Buffer m(adam ? s.m * s.n : 1), v(adam ? s.m * s.n : 1);
  const float alpha = 1e-3f;
  const cpu::AdamStep step{c.get(), m.get(), v.get(), &alpha};
  cpu::GemmProblem p{
      s.m,     s.n, s.k, s.ta, s.tb, a.get(), s.ta ? s.m : s.k, b.get(), s.tb ? s.k : s.n,
      c.get(), s.n};
  if (s.kind == Shape::kMask) p.epilogue.mask = mask.get(), p.epilogue.mask_ld = s.n;
  if (adam) p.epilogue.adam = &step;
  Buffer workspace(cpu::gemm_workspace_bytes(p) / sizeof(float) + 16);
  const double ours = best_seconds([&] { cpu::gemm_run(p, workspace.get()); });
  const double blas = best_seconds([&] {
    cblas_sgemm(CblasRowMajor, s.ta ? CblasTrans : CblasNoTrans, s.tb ? CblasTrans : CblasNoTrans,
                s.m, s.n, s.k, 1, p.a, p.lda, p.b, p.ldb, 0, p.c, p.ldc);
  });
  const double flops = 2e-9 * s.m * s.n * s.k;
  fmt::print(
      "{:24} {:>6}x{:<6}x{:<6} {:10.1f} us {:7.1f} GFLOP/s | OpenBLAS (bare) {:10.1f} us {:7.1f}\n",
      s.name, s.m, s.n, s.k, ours * 1e6, flops / ours, blas * 1e6, flops / blas);
}

}  // namespace

void bench_gemm() {
  for (const Shape& shape : kShapes) bench_shape(shape);
}

}  // namespace stoker::bench
