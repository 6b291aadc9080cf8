#include <fmt/format.h>

#include <cstring>

#include "compile_ahead.h"
#include "libraries/libraries.h"
#include "libraries/nvml.h"
#include "memory/copies.h"
#include "memory/host_rows.h"
#include "program.h"
#include "stoker/human_bytes.h"

// The backend's function table.
namespace stoker::cuda {
namespace {

thread_local std::string last_error;

int32_t fail(const std::string& why) {
  last_error = why;
  return 1;
}

// Runs body; converts an exception to an error message, as no exception may cross the interface.
template <class F>
int32_t guarded(F body) {
  try {
    body();
    return 0;
  } catch (const Error& error) {
    return fail(error.message());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

// Runs body while holding the GPU's guard.
template <class F>
void alone_on(Gpu& opened, F body) {
  const std::lock_guard lock(*opened.guard);
  const GpuScope scope(opened);
  body(opened);
}

template <class F>
int32_t guarded_on(int32_t device, F body) {
  return guarded([&] { alone_on(gpu(device), body); });
}

// Runs body with the GPU's context current, but without the guard; body takes it where needed.
template <class F>
int32_t guarded_with(int32_t device, F body) {
  return guarded([&] {
    Gpu& opened = gpu(device);
    make_current(opened);
    body(opened);
  });
}

template <size_t n>
void put(char (&to)[n], const std::string& text) {
  to[text.copy(to, n - 1)] = '\0';
}

std::string driver_name() {  // with a trailing space
  const std::string version = nvml_driver_version();
  return version.empty() ? "" : version + " ";
}

const char* unavailable() {
  static const std::string reason = []() -> std::string {
    try {
      nvrtc();
      return why_no_gpu();
    } catch (const CudaError& error) {
      return error.what();
    }
  }();
  return reason.empty() ? nullptr : reason.c_str();
}

int32_t device_count() { return unavailable() ? 0 : gpu_count(); }

int32_t describe(int32_t device, StokerDevice* out) {
  return guarded_on(device, [&](const Gpu& opened) {
    size_t free = 0, total = 0;
    check(driver().cuMemGetInfo(&free, &total), "querying the GPU's memory");
    put(out->name, opened.name);
    out->memory = total;
    out->memory_free = free + opened.blocks->kept_bytes();
    out->context = opened.context_bytes;
    out->no_reuse_limit = static_cast<uint64_t>(opened.l2_bytes) / 2;
    out->copies_inputs = 1;
    out->cores = opened.multiprocessors;
    put(out->detail,
        fmt::format("compute capability {}.{}, {} multiprocessors, driver {}for CUDA "
                    "{}, NVRTC {}",
                    opened.capability / 10, opened.capability % 10, opened.multiprocessors,
                    driver_name(), version_text(driver().version), version_text(nvrtc().version)));
  });
}

const char* memory_holders(int32_t device) {
  static thread_local std::string text;
  if (guarded([&] { text = nvml_holders(gpu(device).device); }) != 0) text.clear();
  return text.c_str();
}

void configure(const char* key, int64_t value) {
  if (std::strcmp(key, "tf32") == 0) settings().tf32 = value != 0 && tf32_allowed();
  if (std::strcmp(key, "deterministic") == 0) settings().deterministic = value != 0;
}

std::string why_no_memory(const Gpu& opened, uint64_t bytes) {
  size_t free = 0, total = 0;
  driver().cuMemGetInfo(&free, &total);
  const std::string holders = nvml_holders(opened.device);
  return fmt::format("{} requested, {} free of {}{}{}.", human_bytes(static_cast<int64_t>(bytes)),
                     human_bytes(static_cast<int64_t>(free)),
                     human_bytes(static_cast<int64_t>(total)), holders.empty() ? "" : "; ",
                     holders);
}

CUdeviceptr take(const Gpu& on, uint64_t bytes) {
  const bool small = settings().keep_blocks && bytes <= BlockCache::largest_block;
  CUdeviceptr memory = small ? on.blocks->take(bytes) : 0;
  if (memory) return memory;
  const uint64_t wanted = small ? BlockCache::size_of(bytes) : std::max<uint64_t>(bytes, 1);
  if (driver().cuMemAlloc(&memory, wanted) != CUDA_SUCCESS) {
    on.blocks->release();
    if (driver().cuMemAlloc(&memory, wanted) != CUDA_SUCCESS)
      throw CudaError(why_no_memory(on, bytes));
  }
  if (small) on.blocks->gave(memory, bytes);
  return memory;
}

void* allocate(int32_t device, uint64_t bytes) {
  CUdeviceptr memory = 0;
  const int32_t status = guarded_on(device, [&](const Gpu& on) { memory = take(on, bytes); });
  return status == 0 ? reinterpret_cast<void*>(memory) : nullptr;
}

bool keep_block(const Gpu& on, CUdeviceptr memory) {
  const std::lock_guard lock(*on.guard);
  return on.blocks->keep(memory);
}

// Waits for work that uses the memory without holding the guard, so that others can continue.
void deallocate(int32_t device, void* memory) {
  guarded_with(device, [&](Gpu& on) {
    const auto address = reinterpret_cast<CUdeviceptr>(memory);
    if (keep_block(on, address)) return;
    finish(on);
    check(driver().cuStreamSynchronize(on.copy_stream), "waiting before releasing memory");
    check(driver().cuMemFree(address), "releasing memory");
  });
}

int32_t copy_now(int32_t device, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  return guarded_with(device, [&](Gpu& on) { copy(on, to, from, bytes, kind); });
}

int32_t plan_kernel(int32_t device, const StokerNode* node, StokerPlan* out) {
  return guarded_with(device, [&](const Gpu& on) {  // several threads plan concurrently
    const GpuScope scope(on);
    auto kernel = plan(NodeView(*node));
    if (driver().serves_libraries) compile_ahead(kernel->functions, on);  // NVRTC takes seconds
    out->workspace = kernel->workspace;
    out->implementation = kernel->implementation;
    out->kernel = kernel.release();
  });
}
void release_kernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

void* create_program(int32_t device, const StokerCall* calls, int32_t count,
                     const StokerAllocator* allocator) {
  void* program = nullptr;
  guarded_with(device, [&](Gpu& on) {
    program = new Program(on, {calls, static_cast<size_t>(count)}, *allocator);
  });
  return program;
}
int32_t run_program(void* program, const StokerRun* run) {
  return guarded([&] { static_cast<Program*>(program)->run(*run); });
}
void release_program(void* program) { delete static_cast<Program*>(program); }

int32_t synchronize(int32_t device) { return guarded_with(device, finish); }

void* allocate_pinned(int32_t device, uint64_t bytes) {
  void* memory = nullptr;
  const int32_t status = guarded_with(device, [&](const Gpu&) {
    check(driver().cuMemAllocHost(&memory, std::max<uint64_t>(bytes, 1)),
          "allocating page-locked memory");
  });
  return status == 0 ? memory : nullptr;
}

void deallocate_pinned(int32_t device, void* memory) {
  guarded_with(device, [&](const Gpu&) {
    check(driver().cuMemFreeHost(memory), "freeing page-locked memory");
  });
}

int32_t copy_async(int32_t device, void* to, const void* from, uint64_t bytes, StokerCopyKind kind,
                   StokerTicket after, StokerTicket* ticket) {
  return guarded_with(device,
                      [&](Gpu& on) { *ticket = copy_beside(on, to, from, bytes, kind, after); });
}

int32_t pin(int32_t device, const void* memory, uint64_t bytes, const void** on_device) {
  return guarded_with(device, [&](const Gpu& on) { *on_device = pin_host(on, memory, bytes); });
}
void unpin(int32_t device, const void* memory) {
  guarded_with(device, [&](const Gpu&) { unpin_host(memory); });
}
int32_t gather_async(int32_t device, void* to, const StokerRows* rows, StokerTicket after,
                     StokerTicket* ticket) {
  return guarded_with(device, [&](Gpu& on) { *ticket = gather_beside(on, to, *rows, after); });
}

int32_t mark_now(int32_t device, StokerTicket* ticket) {
  return guarded_with(device, [&](Gpu& on) { *ticket = mark(on); });
}
int32_t wait(int32_t device, StokerTicket ticket) {
  return guarded_with(device, [&](Gpu& on) { on.tickets->wait(ticket); });
}
int32_t is_done(int32_t device, StokerTicket ticket, int32_t* done) {
  return guarded_with(device, [&](Gpu& on) { *done = on.tickets->is_done(ticket); });
}
int32_t elapsed(int32_t device, StokerTicket from, StokerTicket to, int64_t* nanoseconds) {
  return guarded_with(device, [&](Gpu& on) { *nanoseconds = on.tickets->nanoseconds(from, to); });
}

int32_t start_profile(int32_t device) {
  return guarded_on(device, [&](const Gpu& on) { on.profile->start(on.stream); });
}
int32_t stop_profile(int32_t device) {
  return guarded_with(device, [&](const Gpu& on) { on.profile->stop(); });
}
int64_t read_profile(int32_t device, StokerSpan* out, int64_t most) {
  int64_t count = 0;
  const auto read = [&](const Gpu& on) { count = on.profile->read(out, most); };
  return guarded_with(device, read) == 0 ? count : -1;
}

int64_t dropped_calls(int32_t device) {
  int64_t count = 0;
  guarded_with(device, [&](const Gpu& on) { count = on.profile->dropped(); });
  return count;
}

const StokerBackend table{.interface_version = stoker_backend_interface,
                          .name = "cuda",
                          .kind = "GPU",
                          .unavailable = unavailable,
                          .device_count = device_count,
                          .describe = describe,
                          .memory_holders = memory_holders,
                          .libraries = library_report,
                          .configure = configure,
                          .allocate = allocate,
                          .deallocate = deallocate,
                          .copy = copy_now,
                          .plan = plan_kernel,
                          .release_kernel = release_kernel,
                          .create_program = create_program,
                          .run_program = run_program,
                          .release_program = release_program,
                          .synchronize = synchronize,
                          .last_error = [] { return last_error.c_str(); },
                          .allocate_pinned = allocate_pinned,
                          .deallocate_pinned = deallocate_pinned,
                          .copy_async = copy_async,
                          .mark = mark_now,
                          .wait = wait,
                          .is_done = is_done,
                          .elapsed = elapsed,
                          .pin = pin,
                          .unpin = unpin,
                          .gather_async = gather_async,
                          .start_profile = start_profile,
                          .stop_profile = stop_profile,
                          .read_profile = read_profile,
                          .dropped_calls = dropped_calls};

}  // namespace
}  // namespace stoker::cuda

// For tests: numbers of allocations, waits, launches and graph launches so far.
extern "C" __attribute__((visibility("default"))) void stoker_cuda_counters(uint64_t out[4]) {
  const auto& counters = stoker::cuda::driver_counters();
  out[0] = counters.allocations;
  out[1] = counters.waits;
  out[2] = counters.launches;
  out[3] = counters.graph_launches;
}

extern "C" __attribute__((visibility("default"))) const StokerBackend* stoker_backend(uint32_t) {
  return &stoker::cuda::table;
}
