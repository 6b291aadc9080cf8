#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>

#include "arguments.h"

// cuda_ops [--cold] [--check] [--no-tf32] [--deterministic] [FILE | OP TENSOR… -> TENSOR…
// ATTR=VALUE…] Times every implementation of an op in a CUDA graph, and compares its results with
// those of the op's plainest implementation (--check: does only that). FILE has a case a line;
// without arguments they are read from stdin.
namespace stoker::bench {
namespace {

using cuda::check;
using cuda::driver;

constexpr int per_graph = 20, launches = 7;
constexpr double cold_bytes = 400e6;  // several times the L2 cache

float median_time(const cuda::Gpu& gpu, CUgraphExec graph) {
  CUevent begin = nullptr, end = nullptr;
  check(driver().cuEventCreate(&begin, CU_EVENT_DEFAULT), "creating an event");
  check(driver().cuEventCreate(&end, CU_EVENT_DEFAULT), "creating an event");
  std::vector<float> times;
  for (int i = 0; i < launches + 2; ++i) {
    check(driver().cuEventRecord(begin, gpu.stream), "marking a time");
    check(driver().cuGraphLaunch(graph, gpu.stream), "launching a graph");
    check(driver().cuEventRecord(end, gpu.stream), "marking a time");
    check(driver().cuEventSynchronize(end), "waiting for the GPU");
    check(driver().cuEventElapsedTime(&times.emplace_back(), begin, end), "reading a time");
  }
  times.erase(times.begin(), times.begin() + 2);  // warming up
  std::sort(times.begin(), times.end());
  driver().cuEventDestroy(begin);
  driver().cuEventDestroy(end);
  return times[times.size() / 2] * 1000 / per_graph;
}

float microseconds(const cuda::Gpu& gpu, cuda::Kernel& kernel, const Arguments& arguments,
                   int copies, void* workspace) {
  cuda::Encoder encoder(gpu);
  check(driver().cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "recording");
  for (int i = 0; i < per_graph; ++i) kernel.encode(encoder, arguments.of(i % copies), workspace);
  CUgraph graph = nullptr;
  check(driver().cuStreamEndCapture(gpu.stream, &graph), "recording");
  CUgraphExec ready = nullptr;
  check(driver().cuGraphInstantiate(&ready, graph, 0), "making a graph");
  const float time = median_time(gpu, ready);
  driver().cuGraphExecDestroy(ready);
  driver().cuGraphDestroy(graph);
  return time;
}

// The root mean square of the differences divided by that of the values; for the worst output.
double difference(const std::vector<Array>& actual, const std::vector<Array>& expected) {
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    double differences = 0, values = 1e-30;
    for (int64_t e = 0; e < actual[i].size(); ++e) {
      const double a = actual[i].at(e), b = expected[i].at(e);
      differences += (a - b) * (a - b);
      values += b * b;
    }
    const double relative = std::sqrt(differences / values);
    if (!(relative <= worst)) worst = relative;  // a NaN counts
  }
  return worst;
}

void run(const cuda::Gpu& gpu, const std::string& line, bool cold, bool timed) {
  const Case one(line);
  std::cout << line << "\n";
  const StokerNode node = one.node();
  auto kernels = cuda::plan_all(NodeView(node));
  if (kernels.empty()) std::cout << "  no implementation\n";
  const int copies =
      cold ? std::clamp(static_cast<int>(cold_bytes / one.bytes()) + 1, 1, per_graph) : 1;
  Arguments arguments(gpu, one, copies);
  std::vector<Array> expected;
  std::reverse(kernels.begin(), kernels.end());  // the reference first
  for (const auto& kernel : kernels) {
    compile_together(kernel->functions, gpu);
    const DeviceMemory workspace(kernel->workspace);
    cuda::Encoder encoder(gpu);
    arguments.spoil_outputs();
    kernel->encode(encoder, arguments.of(0), workspace.get());
    const auto results = arguments.outputs();
    if (expected.empty()) expected = results;
    const double time = !timed ? 0 : microseconds(gpu, *kernel, arguments, copies, workspace.get());
    std::cout << fmt::format(
        "  {:<16} {:9.2f} us {:8.0f} GB/s {:8.2f} TFLOP/s  {:8.1f} MB scratch  off by {:.1e}\n",
        kernel->implementation, time, one.bytes() / time / 1e3, one.flops() / time / 1e6,
        static_cast<double>(kernel->workspace) / 1e6, difference(results, expected));
  }
  std::cout << std::flush;
}

int main(int argc, char** argv) {
  bool cold = false, timed = true;
  cuda::settings().choose_by_time = false;  // show them all
  std::string words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--cold") == 0)
      cold = true;
    else if (std::strcmp(argv[i], "--check") == 0)
      timed = false;
    else if (std::strcmp(argv[i], "--no-tf32") == 0)
      cuda::settings().tf32 = false;
    else if (std::strcmp(argv[i], "--deterministic") == 0)
      cuda::settings().deterministic = true;
    else
      words += (words.empty() ? "" : " ") + std::string(argv[i]);
  }
  const cuda::Gpu& gpu = cuda::gpu(0);
  const cuda::GpuScope scope(gpu);
  make_current(gpu);
  const bool is_case = words.find("->") != std::string::npos;
  if (is_case) return run(gpu, words, cold, timed), 0;
  std::ifstream file(words);
  std::istream& lines = words.empty() ? std::cin : file;
  if (!lines) throw InvalidArgument(words + " cannot be read.");
  int failures = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    try {
      run(gpu, line, cold, timed);
    } catch (const std::exception& error) {
      std::cout << "  " << error.what() << "\n";
      ++failures;
    }
  }
  return failures > 0;
}

}  // namespace
}  // namespace stoker::bench

int main(int argc, char** argv) {
  try {
    return stoker::bench::main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
