#include "upload.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "core/thread_pool.h"

namespace stoker::cuda {
namespace {

constexpr uint64_t piece = uint64_t{8} << 20;
constexpr uint64_t worth_it = uint64_t{4} << 20;

struct Staging {
  void* memory[2] = {};
  CUevent free[2] = {};
};

Staging make_staging() {
  Staging made;
  for (int i = 0; i < 2; ++i) {
    check(driver().cuMemAllocHost(&made.memory[i], piece), "taking page-locked memory");
    check(driver().cuEventCreate(&made.free[i], CU_EVENT_DISABLE_TIMING), "creating an event");
  }
  return made;
}

// Events belong to a GPU's context, so each GPU has its own.
Staging& staging_of(const Gpu& gpu) {
  static auto& made = *new std::map<int32_t, Staging>;
  const auto found = made.find(gpu.index);
  return found != made.end() ? found->second : made[gpu.index] = make_staging();
}

void copy_on_all_cores(void* to, const void* from, uint64_t bytes) {
  constexpr uint64_t grain = uint64_t{512} << 10;
  const auto parts = static_cast<int>((bytes + grain - 1) / grain);
  ThreadPool::global().run(parts, [&](int part) {
    const uint64_t at = static_cast<uint64_t>(part) * grain;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                std::min(grain, bytes - at));
  });
}

}  // namespace

void upload(const Gpu& gpu, CUstream stream, CUdeviceptr to, const void* from, uint64_t bytes) {
  const Driver& d = driver();
  if (bytes < worth_it)
    return check(d.cuMemcpyHtoDAsync(to, from, bytes, stream), "copying to the GPU");
  static std::mutex guard;  // the pieces' memory is shared
  const std::lock_guard lock(guard);
  Staging& buffers = staging_of(gpu);
  for (uint64_t at = 0, i = 0; at < bytes; at += piece, ++i) {
    const uint64_t size = std::min(piece, bytes - at);
    check(d.cuEventSynchronize(buffers.free[i % 2]), "waiting for a copy to the GPU");
    copy_on_all_cores(buffers.memory[i % 2], static_cast<const char*>(from) + at, size);
    check(d.cuMemcpyHtoDAsync(to + at, buffers.memory[i % 2], size, stream), "copying to the GPU");
    check(d.cuEventRecord(buffers.free[i % 2], stream), "marking a copy to the GPU");
  }
}

}  // namespace stoker::cuda
