#include "ranks/host_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/host_name.h"

namespace stoker::cuda {
namespace {

constexpr uint64_t piece = 1 << 20;  // bytes of a rank at a time

}  // namespace

HostCalls::HostCalls(const Gpu& gpu, int own_rank, int ranks, const NcclId& id,
                     double timeout_seconds)
    : rank(own_rank),
      size(ranks),
      gpu_(gpu),
      communicator_(gpu, own_rank, ranks, id),
      timeout_(timeout_seconds) {
  const uint64_t bytes = piece * (1 + static_cast<uint64_t>(size));
  check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "creating a stream");
  check(driver().cuEventCreate(&done_, CU_EVENT_DISABLE_TIMING), "creating an event");
  check(driver().cuMemAlloc(&memory_, bytes), "taking memory for messages");
  check(driver().cuMemAllocHost(reinterpret_cast<void**>(&pinned_), bytes),
        "taking page-locked memory");
}

// The input is at the beginning of the buffer, the output after one chunk.
void HostCalls::run(const void* from, uint64_t in_bytes, void* to, uint64_t out_bytes,
                    const Call& call) {
  make_current(gpu_);
  std::memcpy(pinned_, from, in_bytes);
  const CUdeviceptr out = memory_ + piece;
  check(driver().cuMemcpyHtoDAsync(memory_, pinned_, in_bytes, stream_), "sending a message");
  call(reinterpret_cast<void*>(memory_), reinterpret_cast<void*>(out), stream_);
  check(driver().cuMemcpyDtoHAsync(pinned_ + piece, out, out_bytes, stream_), "fetching a message");
  wait();
  std::memcpy(to, pinned_ + piece, out_bytes);
  ++calls_;
}

void HostCalls::wait() {
  check(driver().cuEventRecord(done_, stream_), "marking a message");
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t looks = 0;; ++looks) {
    const CUresult status = driver().cuEventQuery(done_);
    if (status != CUDA_ERROR_NOT_READY) return check(status, "waiting for the other ranks");
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (has_limit_ && waited.count() > timeout_)
      end(1,
          fmt::format("timed out after {} s waiting for another rank (call {}). This rank exits.",
                      timeout_, calls_));
    if (looks > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void HostCalls::all_reduce(const void* from, void* to, int64_t count, DType dtype) {
  const auto width = static_cast<int64_t>(size_of(dtype)),
             most = static_cast<int64_t>(piece) / width;
  for (int64_t done = 0; done < count; done += most) {
    const int64_t now = std::min(count - done, most);
    const auto bytes = static_cast<uint64_t>(now * width);
    run(static_cast<const char*>(from) + done * width, bytes, static_cast<char*>(to) + done * width,
        bytes, [&](void* in, void* out, CUstream stream) {
          communicator_.all_reduce(in, out, now, dtype, stream);
        });
  }
}

void HostCalls::all_gather(const void* from, void* to, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes; done += piece) {
    const uint64_t now = std::min(bytes - done, piece);
    std::vector<char> all(now * static_cast<uint64_t>(size));
    run(static_cast<const char*>(from) + done, now, all.data(), all.size(),
        [&](void* in, void* out, CUstream stream) {
          communicator_.all_gather(in, out, now, stream);
        });
    for (uint64_t r = 0; r < static_cast<uint64_t>(size); ++r)
      std::memcpy(static_cast<char*>(to) + r * bytes + done, all.data() + r * now, now);
  }
}

void HostCalls::broadcast(void* data, uint64_t bytes, int root) {
  for (uint64_t done = 0; done < bytes; done += piece) {
    const uint64_t now = std::min(bytes - done, piece);
    char* const at = static_cast<char*>(data) + done;
    run(at, now, at, now, [&](void* in, void* out, CUstream stream) {
      communicator_.broadcast(in, out, now, root, stream);
    });
  }
}

void HostCalls::barrier(bool without_limit) {
  int32_t nothing = 0;
  has_limit_ = !without_limit;
  all_reduce(&nothing, &nothing, 1, DType::int32);
  has_limit_ = true;
}

std::string HostCalls::where() const {
  const int64_t step = step_;
  return fmt::format("rank {} on host {}{}", rank, host_name(),
                     step < 0 ? " before its first step" : fmt::format(" in step {}", step));
}

void HostCalls::end(int status, const std::string& message) {
  std::fprintf(stderr, "stoker: %s: %s\n", where().c_str(), message.c_str());
  std::fflush(stderr);
  std::_Exit(status);
}

}  // namespace stoker::cuda
