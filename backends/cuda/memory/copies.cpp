#include "memory/copies.h"

#include <algorithm>
#include <cstring>

#include "core/round_up.h"
#include "core/thread_pool.h"
#include "kernel.h"
#include "kernel_source.h"

namespace stoker::cuda {
namespace {

constexpr uint64_t worth_staging = uint64_t{4} << 20;
constexpr uint64_t most_by_kernel = uint64_t{1} << 20;

Function& copy_function() {
  static const auto function = make_function(KernelSource("program/copy_bytes.cuh"), "copy_bytes");
  return *function;
}

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

// A stream, and the lock for enqueuing on it: another thread may be capturing the GPU's.
struct Lane {
  CUstream stream;
  std::mutex* guard;  // null: never captured
  std::unique_lock<std::mutex> lock() const {
    return guard ? std::unique_lock(*guard) : std::unique_lock<std::mutex>();
  }
};
Lane in_turn(const Gpu& on) { return {on.stream, on.guard.get()}; }
Lane copy_lane(const Gpu& on) { return {on.copy_stream, nullptr}; }

void copy_on_all_cores(void* to, const void* from, uint64_t bytes) {
  constexpr uint64_t grain = uint64_t{512} << 10;
  const auto parts = static_cast<int>(ceil_div(bytes, grain));
  ThreadPool::global().run(parts, [&](int part) {
    const uint64_t at = static_cast<uint64_t>(part) * grain;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                std::min(grain, bytes - at));
  });
}

void enqueue_upload(const Lane& lane, CUdeviceptr to, const void* from, uint64_t bytes) {
  check(driver().cuMemcpyHtoDAsync(to, from, bytes, lane.stream), "copying to the GPU");
}

void send(const Lane& lane, CUdeviceptr to, const Staging::Held& piece, uint64_t bytes) {
  const auto lock = lane.lock();
  enqueue_upload(lane, to, piece.memory(), bytes);
  piece.mark_copy(lane.stream);
}

void upload_small(Gpu& on, const Lane& lane, CUdeviceptr to, const void* from, uint64_t bytes) {
  const Staging::Held piece = on.staging->take_small();
  std::memcpy(piece.memory(), from, bytes);
  send(lane, to, piece, bytes);
}

void upload_large(Gpu& on, const Lane& lane, CUdeviceptr to, const void* from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += Staging::large_bytes) {
    const uint64_t size = std::min(Staging::large_bytes, bytes - at);
    const Staging::Held piece = on.staging->take_large();
    copy_on_all_cores(piece.memory(), static_cast<const char*>(from) + at, size);
    send(lane, to + at, piece, size);
  }
}

// Switching between a GPU's copy engine and its multiprocessors takes longer than a small copy:
// such copies are kernels, which also read page-locked host memory. The kernel is loaded here,
// before the GPU's guard is taken.
bool suits_kernel(const Gpu& on, uint64_t bytes) {
  return bytes <= most_by_kernel && driver().serves_libraries && copy_function().on(on);
}

// Returns when the bytes are in page-locked memory, without waiting for the GPU.
void upload_in_turn(Gpu& on, CUdeviceptr to, const void* from, uint64_t bytes) {
  if (bytes > Staging::small_bytes) return upload_large(on, in_turn(on), to, from, bytes);
  const bool by_kernel = suits_kernel(on, bytes);
  on.staging->send_small(from, bytes, [&](const void* memory, CUevent full) {
    const std::lock_guard lock(*on.guard);
    if (by_kernel)
      copy_by_kernel(on, reinterpret_cast<void*>(to), memory, bytes);
    else
      enqueue_upload(in_turn(on), to, memory, bytes);
    if (full) check(driver().cuEventRecord(full, on.stream), "marking a copy");
  });
}

// The copy stream is concurrent, but must wait for work that uses the same memory.
void keep_order(Gpu& on, CUdeviceptr to, CUdeviceptr from = 0) {
  if (!on.blocks->any_reused()) return;
  const std::lock_guard lock(*on.guard);
  if (!on.blocks->reused(to) && !on.blocks->reused(from)) return;
  on.tickets->let_wait(on.copy_stream, on.tickets->record(on.stream));
  on.blocks->keep_reused_in_order();
}

void upload_to_idle(Gpu& on, CUdeviceptr to, const void* from, uint64_t bytes) {
  keep_order(on, to);
  if (bytes <= Staging::small_bytes)
    upload_small(on, copy_lane(on), to, from, bytes);
  else if (bytes >= worth_staging)
    upload_large(on, copy_lane(on), to, from, bytes);
  else
    enqueue_upload(copy_lane(on), to, from, bytes);  // the driver waits for it
  check(driver().cuStreamSynchronize(on.copy_stream), "waiting for the GPU");
}

void enqueue_download(CUstream stream, void* to, const void* from, uint64_t bytes) {
  check(driver().cuMemcpyDtoHAsync(to, address(from), bytes, stream), "copying from the GPU");
}

void download_small(Gpu& on, void* to, const void* from, uint64_t bytes) {
  const Staging::Held piece = on.staging->take_small();
  {
    const std::lock_guard lock(*on.guard);
    enqueue_download(on.stream, piece.memory(), from, bytes);
    piece.mark_copy(on.stream);
  }
  ++driver_counters().waits;
  piece.wait();
  std::memcpy(to, piece.memory(), bytes);
}

void download(Gpu& on, void* to, const void* from, uint64_t bytes) {
  if (bytes <= Staging::small_bytes) return download_small(on, to, from, bytes);
  finish(on);
  const std::lock_guard lock(*on.guard);
  enqueue_download(on.stream, to, from, bytes);
  check(driver().cuStreamSynchronize(on.stream), "waiting for the GPU");
}

void copy_on_gpu(CUstream stream, void* to, const void* from, uint64_t bytes) {
  check(driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, stream),
        "copying on the GPU");
}

void copy_in_turn(const Gpu& on, void* to, const void* from, uint64_t bytes) {
  const bool by_kernel = suits_kernel(on, bytes);
  const std::lock_guard lock(*on.guard);
  if (by_kernel)
    copy_by_kernel(on, to, from, bytes);
  else
    copy_on_gpu(on.stream, to, from, bytes);
}

}  // namespace

void copy(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  if (bytes == 0) return;
  switch (kind) {
    case stoker_host_to_device:
      return upload_in_turn(on, address(to), from, bytes);
    case stoker_host_to_idle_device:
      return upload_to_idle(on, address(to), from, bytes);
    case stoker_device_to_host:
      return download(on, to, from, bytes);
    case stoker_device_to_device:
      return copy_in_turn(on, to, from, bytes);
  }
}

void copy_by_kernel(const Gpu& on, void* to, const void* from, uint64_t bytes) {
  constexpr int64_t threads = 256, bytes_of_a_block = 16 * threads;
  Encoder(on).launch(copy_function(),
                     {.blocks = blocks_for(static_cast<int64_t>(bytes), bytes_of_a_block)}, from,
                     to, static_cast<int64_t>(bytes));
}

void begin_beside(Gpu& on, const void* to, const void* from, StokerTicket after) {
  keep_order(on, address(to), address(from));
  on.tickets->let_wait(on.copy_stream, after);
}

StokerTicket copy_beside(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind,
                         StokerTicket after) {
  begin_beside(on, to, from, after);
  if (kind == stoker_device_to_device)
    copy_on_gpu(on.copy_stream, to, from, bytes);
  else if (kind == stoker_device_to_host)
    enqueue_download(on.copy_stream, to, from, bytes);
  else
    enqueue_upload(copy_lane(on), address(to), from, bytes);
  return on.tickets->record(on.copy_stream);
}

StokerTicket mark(Gpu& on) {
  const std::lock_guard lock(*on.guard);
  return on.tickets->record(on.stream);
}

void finish(Gpu& on) { on.tickets->wait(mark(on)); }

}  // namespace stoker::cuda
