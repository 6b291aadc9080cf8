#include <cstring>

#include "measure.h"

// kernels [gemm|conv]: times the CPU backend's kernels on the shapes the benchmark models use.
int main(int argc, char** argv) {
  const char* only = argc > 1 ? argv[1] : "";
  if (std::strcmp(only, "conv") != 0) stoker::bench::bench_gemm();
  if (std::strcmp(only, "gemm") != 0) stoker::bench::bench_conv();
}
