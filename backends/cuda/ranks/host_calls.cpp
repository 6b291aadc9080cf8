#include "ranks/host_calls.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace stoker::cuda {
namespace {

constexpr uint64_t piece = 1 << 20;  // bytes of a rank at a time

}  // namespace

HostCalls::HostCalls(const Gpu& gpu, int own_rank, int ranks, const NcclId& id)
    : rank(own_rank), size(ranks), gpu_(gpu), communicator_(gpu, own_rank, ranks, id) {
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
  check(driver().cuEventRecord(done_, stream_), "marking a message");
  check(poll(), "waiting for the other ranks");
  std::memcpy(to, pinned_ + piece, out_bytes);
}

// A loop, as small messages are there within microseconds.
CUresult HostCalls::poll() const {
  const GpuWait wait;
  for (int64_t looks = 0;; ++looks) {
    const CUresult status = driver().cuEventQuery(done_);
    if (status != CUDA_ERROR_NOT_READY) return status;
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

void HostCalls::barrier() {
  int32_t nothing = 0;
  all_reduce(&nothing, &nothing, 1, DType::int32);
}

}  // namespace stoker::cuda
