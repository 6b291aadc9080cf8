#include "ops/gemm/gemm.h"

#include <gtest/gtest.h>

#include "ops/gemm/gemm_tiles_source.h"
#include "ops/node_testing.h"

namespace stoker::cuda {
namespace {

void add_products(DType dtype, int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const TensorType a{dtype, ta ? Shape{k, m} : Shape{m, k}},
      b{dtype, tb ? Shape{n, k} : Shape{k, n}}, c{dtype, {m, n}}, row{dtype, {n}}, one{dtype, {}};
  const std::string name = fmt::format("{} {}x{}x{}", name_of(dtype), m, n, k);
  const int64_t left = ta, right = tb, yes = 1;
  AddCompileCase(name, {"fused_matmul", {a, b, row}, {c}}, "transpose_a", left, "transpose_b",
                 right, "bias", yes, "activation", std::string("relu"));
  AddCompileCase(name, {"fused_matmul", {a, b, c}, {c}}, "transpose_a", left, "transpose_b", right,
                 "mask", yes);
  AddCompileCase(name, {"matmul_adam", {a, b, c, c, c, one}, {c, c, c}}, "transpose_a", left,
                 "transpose_b", right, "beta_1", 0.9, "beta_2", 0.999, "epsilon", 1e-7);
}

void add_step_of_both(DType dtype, int64_t m, int64_t n, int64_t k) {
  const TensorType a{dtype, {k, m}}, b{dtype, {k, n}}, w{DType::float32, {m, n}},
      row{DType::float32, {n}}, one{DType::float32, {}};
  AddCompileCase(
      fmt::format("{} {}x{}x{}", name_of(dtype), m, n, k),
      {"matmul_adam_bias", {a, b, w, w, w, one, row, row, row}, {w, w, w, row, row, row}},
      "transpose_a", int64_t{1}, "beta_1", 0.9, "beta_2", 0.999, "epsilon", 1e-7);
}

// The shapes determine what is planned: shared k, split-k, large tiles, empty products.
[[maybe_unused]] const bool added = [] {
  add_products(DType::float32, 32, 1024, 784, false, false);
  add_products(DType::float32, 32, 10, 508032, false, false);
  add_products(DType::float32, 1024, 10, 32, true, true);
  add_products(DType::float64, 32, 1024, 10, false, true);
  add_products(DType::float16, 32, 100, 70, true, false);
  add_products(DType::bfloat16, 5, 7, 3, false, true);
  add_products(DType::float32, 0, 7, 3, false, false);
  add_products(DType::float32, 5, 7, 0, false, false);
  add_step_of_both(DType::float32, 1024, 1024, 4096);
  add_step_of_both(DType::float32, 784, 128, 1024);
  add_step_of_both(DType::float32, 1024, 1024, 32);
  add_step_of_both(DType::bfloat16, 1024, 10, 32);
  return true;
}();

Gemm product(int64_t m, int64_t n, int64_t k) {
  Gemm p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

Gpu hopper() { return planned_gpu(90); }

TEST(Tiling, FillsTheGpuWithBlocksAtSmallBatches) {
  for (const Gemm& p : {product(32, 1024, 1024), product(1024, 128, 784), product(64, 10, 508032),
                        product(4096, 10, 1024), product(4096, 1024, 10)}) {
    const Tiling t = tiling_for(p, hopper());
    EXPECT_GE(t.tiles(p) * t.cluster * t.splits, 100) << p.m << " " << p.n << " " << p.k;
  }
}

TEST(Tiling, SharesKOnlyWhereThereIsSome) {
  for (const int64_t k : {1, 10, 33, 64, 100, 5000}) {
    const Gemm p = product(32, 128, k);
    const Tiling t = tiling_for(p, hopper());
    EXPECT_LE(t.cluster * t.splits, (k + t.tk - 1) / t.tk) << k;
    EXPECT_LE(shared_bytes(p, t), 232448u) << k;
  }
}

TEST(Tiling, FitsIntoTheSharedMemoryThereIs) {
  for (const int bytes : {101376, 166912, 232448})  // compute capability 8.9, 8.0, 9.0
    for (const int64_t m : {1, 32, 64, 200, 784, 1024})
      for (const int64_t n : {10, 32, 128, 1000, 1024})
        for (const int64_t k : {1, 32, 64, 784, 1024, 5408, 100000})
          for (const bool adam : {false, true}) {
            Gpu gpu = hopper();
            gpu.shared_memory = bytes;
            gpu.capability = bytes == 232448 ? 90 : 80;
            Gemm p = product(m, n, k);
            p.adam = p.trans_a = adam;
            const Tiling t = tiling_for(p, gpu);
            EXPECT_LE(shared_bytes(p, t), static_cast<unsigned int>(bytes))
                << m << " " << n << " " << k << (adam ? " adam" : "");
          }
}

TEST(Tiling, DoesWithoutClustersOnOlderGpus) {
  EXPECT_EQ(tiling_for(product(32, 1024, 1024), planned_gpu(80)).cluster, 1);
}

}  // namespace
}  // namespace stoker::cuda
