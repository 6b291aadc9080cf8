#include "stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "memory.h"

namespace stoker::emulator {
namespace {

constexpr unsigned int most_threads = 1024;

thread_local std::string failure;
thread_local int recording = 0;
std::atomic<int64_t> clock_now{0};

std::string sized(const Index& blocks, const Index& threads) {
  return fmt::format("({}, {}, {}) blocks of ({}, {}, {}) threads", blocks.x, blocks.y, blocks.z,
                     threads.x, threads.y, threads.z);
}

// What a real driver would refuse at launch; empty: nothing.
std::string refusal(const CUlaunchConfig& config, const CUfunc_st& function, const Launch& launch) {
  const Index &b = launch.blocks, &t = launch.threads;
  if (b.x == 0 || b.y == 0 || b.z == 0 || t.x == 0 || t.y == 0 || t.z == 0)
    return fmt::format("{} is a launch of nothing", sized(b, t));
  if (b.x > 0x7fffffffu || b.y > 65535 || b.z > 65535 || t.x * t.y * t.z > most_threads)
    return fmt::format("{} is more than a GPU takes", sized(b, t));
  if (config.sharedMemBytes > static_cast<unsigned int>(function.most_dynamic_shared))
    return fmt::format("{} bytes of dynamic shared memory, {} allowed", config.sharedMemBytes,
                       function.most_dynamic_shared);
  for (unsigned int i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      return "clusters are not emulated";
  return "";
}

// The arguments' values, which a captured launch keeps.
struct Arguments {
  std::vector<std::vector<char>> values;
  std::vector<void*> pointers;
  Arguments(const Kernel& kernel, void** given) {
    for (int i = 0; i < kernel.arguments; ++i) {
      const auto* bytes = static_cast<const char*>(given[i]);
      values.emplace_back(bytes, bytes + kernel.argument_bytes[i]);
    }
    for (auto& value : values) pointers.push_back(value.data());
  }
};

CUresult run_launch(const Launch& launch) {
  static std::mutex one_at_a_time;
  static BlockRunner runner;
  const std::lock_guard lock(one_at_a_time);
  auto wrong = runner.run(launch);
  if (!wrong) wrong = damage();
  if (!wrong) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_LAUNCH_FAILED, fmt::format("kernel {} ({}): {}", launch.kernel->name,
                                                    sized(launch.blocks, launch.threads), *wrong));
}

}  // namespace

CUresult fail(CUresult status, std::string why) {
  failure = "emulated GPU: " + std::move(why);
  return status;
}
const char* last_failure() { return failure.c_str(); }

int64_t nanoseconds() { return clock_now; }

CUresult execute(const EmulatedCall& call) {
  clock_now += 1000;
  return call();
}

CUresult enqueue(CUstream stream, EmulatedCall call) {
  if (!stream || !stream->recording) return execute(call);
  auto& nodes = stream->recording->nodes;
  nodes.push_back(std::make_unique<CUgraphNode_st>(std::move(call), stream->latest));
  stream->latest = {nodes.back().get()};
  return CUDA_SUCCESS;
}

CUresult unless_recording(const char* doing) {
  if (recording == 0) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, fmt::format("{} while recording", doing));
}

CUresult begin_recording(CUstream stream) {
  if (stream->recording) return fail(CUDA_ERROR_ILLEGAL_STATE, "the stream is recording already");
  static std::atomic<int64_t> graphs = 0;
  stream->recording = new CUgraph_st{.number = graphs++, .nodes = {}};
  stream->latest.clear();
  ++recording;
  return CUDA_SUCCESS;
}

CUresult end_recording(CUstream stream, CUgraph* graph) {
  if (!stream->recording) return fail(CUDA_ERROR_ILLEGAL_STATE, "the stream is not recording");
  *graph = std::exchange(stream->recording, nullptr);
  --recording;
  return CUDA_SUCCESS;
}

std::vector<EmulatedCall> in_unlikely_order(const CUgraph_st& graph) {
  std::vector<EmulatedCall> calls;
  std::set<CUgraphNode> done;
  const auto is_ready = [&](const auto& node) {
    return !done.contains(node.get()) &&
           std::all_of(node->after.begin(), node->after.end(),
                       [&](CUgraphNode earlier) { return done.contains(earlier); });
  };
  while (calls.size() < graph.nodes.size()) {
    const auto next = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), is_ready);
    done.insert(next->get());
    calls.push_back((*next)->call);
  }
  return calls;
}

CUresult launch_kernel(const CUlaunchConfig& config, CUfunction function, void** arguments) {
  Launch launch{function->module->image.module,
                function->kernel,
                {config.gridDimX, config.gridDimY, config.gridDimZ},
                {config.blockDimX, config.blockDimY, config.blockDimZ},
                config.sharedMemBytes,
                nullptr};
  if (const std::string why = refusal(config, *function, launch); !why.empty())
    return fail(CUDA_ERROR_INVALID_VALUE,
                fmt::format("kernel {}: {}", function->kernel->name, why));
  auto kept = std::make_shared<Arguments>(*function->kernel, arguments);
  return enqueue(config.hStream, [launch, kept]() mutable {
    launch.arguments = kept->pointers.data();
    return run_launch(launch);
  });
}

}  // namespace stoker::emulator
