#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "bench_case.h"
#include "stoker/function.h"
#include "stoker/ops/matmul.h"

namespace stoker::cli {
namespace {

constexpr int64_t side = 1024;
constexpr double product_flops = 2.0 * side * side * side;

// The fastest of several runs after a warm-up: a floor is what the machine can do.
double best_seconds(int runs, const std::function<void()>& work) {
  work();
  double best = 1e30;
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

Array random_square(unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Array array(DType::float32, {side, side});
  for (float& value : array.mutable_data<float>()) value = normal(generator);
  return array;
}

double own_gflops(const Array& a, const Array& b) {
  const auto product = function([](const Tensor& x, const Tensor& y) { return ops::matmul(x, y); });
  return product_flops / best_seconds(20, [&] { product(a, b); }) * 1e-9;
}

double openblas_gflops(const Array& a, const Array& b) {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  if (!sgemm) return 0;
  constexpr int row_major = 101, not_transposed = 111, n = side;
  Array c(DType::float32, {side, side});
  const float* left = a.data<float>().data();
  const float* right = b.data<float>().data();
  float* out = c.mutable_data<float>().data();
  return product_flops /
         best_seconds(20,
                      [&] {
                        sgemm(row_major, not_transposed, not_transposed, n, n, n, 1, left, n, right,
                              n, 0, out, n);
                      }) *
         1e-9;
}

// Bytes read and written per second by all cores together.
double copy_gbps() {
  constexpr size_t bytes = size_t{128} << 20;
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<char> from(bytes, 1), to(bytes, 2);
  const size_t part = bytes / threads;
  const double seconds = best_seconds(5, [&] {
    std::vector<std::jthread> workers;
    for (size_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] { std::memcpy(&to[i * part], &from[i * part], part); });
  });
  return 2.0 * static_cast<double>(part * threads) / seconds * 1e-9;
}

}  // namespace

Floors measure_floors() {
  const Array a = random_square(1), b = random_square(2);
  return {own_gflops(a, b), openblas_gflops(a, b), copy_gbps()};
}

}  // namespace stoker::cli
