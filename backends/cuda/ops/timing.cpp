#include "ops/timing.h"

#include <algorithm>

#include "recording.h"

namespace stoker::cuda {
namespace {

constexpr int repeats = 8, launches = 3;

// A small CUDA graph like a step's: launched separately, a kernel would wait for the host.
class Recorded {
 public:
  Recorded(Kernel& kernel, void* const* arguments, void* workspace, const Gpu& gpu) : gpu_(gpu) {
    Encoder encoder(gpu);
    Recording recording(gpu);
    for (int i = 0; i < repeats; ++i) kernel.encode(encoder, arguments, workspace);
    ready_ = recording.finish();
  }
  ~Recorded() { driver().cuGraphExecDestroy(ready_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  void launch() { check(driver().cuGraphLaunch(ready_, gpu_.stream), "launching a graph"); }

 private:
  const Gpu& gpu_;
  CUgraphExec ready_ = nullptr;
};

}  // namespace

Scratch::Scratch(const Gpu& gpu, uint64_t bytes) : alone_(*gpu.guard) {
  if (driver().cuMemAlloc(&memory_, std::max<uint64_t>(bytes, 256)) != CUDA_SUCCESS)
    memory_ = 0;
  else
    Encoder(gpu).fill(reinterpret_cast<void*>(memory_), 0x3c, bytes);
}
Scratch::~Scratch() {
  if (memory_) driver().cuMemFree(memory_);
}
void* Scratch::take(uint64_t bytes) {
  void* at = reinterpret_cast<void*>(memory_ + used_);
  used_ += rounded(bytes);
  return at;
}

Stopwatch::Stopwatch(const Gpu& gpu) : gpu_(gpu) {
  check(driver().cuEventCreate(&begin_, CU_EVENT_DEFAULT), "creating an event");
  check(driver().cuEventCreate(&end_, CU_EVENT_DEFAULT), "creating an event");
}
Stopwatch::~Stopwatch() {
  driver().cuEventDestroy(begin_);
  driver().cuEventDestroy(end_);
}
void Stopwatch::start() { check(driver().cuEventRecord(begin_, gpu_.stream), "marking a time"); }
double Stopwatch::microseconds() {
  float milliseconds = 0;
  check(driver().cuEventRecord(end_, gpu_.stream), "marking a time");
  check(driver().cuEventSynchronize(end_), "waiting for a kernel");
  check(driver().cuEventElapsedTime(&milliseconds, begin_, end_), "reading a time");
  return 1000.0 * static_cast<double>(milliseconds);
}

double microseconds_of(Kernel& kernel, const NodeView& node, const Gpu& gpu) {
  make_current(gpu);
  for (const auto& function : kernel.functions) function->on(gpu);
  uint64_t bytes = Scratch::rounded(kernel.workspace);
  for (const auto* types : {&node.in, &node.out})
    for (const TensorType& type : *types)
      bytes += Scratch::rounded(static_cast<uint64_t>(type.bytes()));
  Scratch scratch(gpu, bytes);
  if (!scratch) return 0;
  std::vector<void*> arguments;
  for (const auto* types : {&node.in, &node.out})
    for (const TensorType& type : *types)
      arguments.push_back(scratch.take(static_cast<uint64_t>(type.bytes())));
  void* const workspace = scratch.take(kernel.workspace);
  Encoder encoder(gpu);
  kernel.encode(encoder, arguments.data(), workspace);  // loads what libraries load lazily
  Recorded graph(kernel, arguments.data(), workspace, gpu);
  Stopwatch watch(gpu);
  double least = 0;
  for (int i = 0; i < launches; ++i) {
    watch.start();
    graph.launch();
    const double time = watch.microseconds() / repeats;
    if (i == 0 || time < least) least = time;
  }
  return least;
}

std::string choice_key(const Gpu& gpu, const char* library, size_t version,
                       const std::string& key) {
  return fmt::format(
      "{} {} on {} ({}, {} multiprocessors, driver {}), tf32 {:d}, deterministic "
      "{:d}, by time {:d}: {}\n",
      library, version, gpu.name, gpu.capability, gpu.multiprocessors, driver().version,
      settings().tf32.load(), settings().deterministic.load(), chooses_by_time(), key);
}

}  // namespace stoker::cuda
