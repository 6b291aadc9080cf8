#include <fmt/format.h>

#include <cstring>

#include "libraries.h"
#include "nvml.h"
#include "program.h"
#include "stoker/human_bytes.h"
#include "upload.h"

// The table of functions that the engine sees.
namespace stoker::cuda {
namespace {

thread_local std::string last_error;

int32_t fail(const std::string& why) {
  last_error = why;
  return 1;
}

// Runs body; an exception becomes a sentence, no exception crosses the interface.
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

// Runs body with the GPU's stream to itself.
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

template <size_t n>
void put(char (&to)[n], const std::string& text) {
  to[text.copy(to, n - 1)] = '\0';
}

std::string driver_name() {  // with a space behind it
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
    check(driver().cuMemGetInfo(&free, &total), "asking for the GPU's memory");
    put(out->name, opened.name);
    out->memory = total;
    out->memory_free = free;
    out->context = opened.context_bytes;
    out->apart = static_cast<uint64_t>(opened.l2_bytes) / 2;
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
  return fmt::format("{} asked for, {} free of {}{}{}.", human_bytes(static_cast<int64_t>(bytes)),
                     human_bytes(static_cast<int64_t>(free)),
                     human_bytes(static_cast<int64_t>(total)), holders.empty() ? "" : "; ",
                     holders);
}

void* allocate(int32_t device, uint64_t bytes) {
  CUdeviceptr memory = 0;
  const int32_t status = guarded_on(device, [&](const Gpu& opened) {
    if (driver().cuMemAlloc(&memory, std::max<uint64_t>(bytes, 1)) != CUDA_SUCCESS)
      throw CudaError(why_no_memory(opened, bytes));
  });
  return status == 0 ? reinterpret_cast<void*>(memory) : nullptr;
}

void deallocate(int32_t device, void* memory) {
  guarded_on(device, [&](const Gpu& opened) {
    check(driver().cuStreamSynchronize(opened.stream), "waiting before releasing memory");
    check(driver().cuMemFree(reinterpret_cast<CUdeviceptr>(memory)), "releasing memory");
  });
}

constexpr uint64_t taken_at_once = uint64_t{16} << 10;

// Beside whatever runs.
void copy_to_idle(const Gpu& on, CUdeviceptr to, const void* from, uint64_t bytes) {
  upload(on, on.copy_stream, to, from, bytes);
  check(driver().cuStreamSynchronize(on.copy_stream), "waiting for the GPU");
}

void copy_in_turn(const Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  const Driver& d = driver();
  const auto target = reinterpret_cast<CUdeviceptr>(to);
  const auto source = reinterpret_cast<CUdeviceptr>(from);
  if (kind == stoker_device_to_device)
    return check(d.cuMemcpyDtoDAsync(target, source, bytes, on.stream), "copying on the GPU");
  if (kind == stoker_device_to_host)
    check(d.cuMemcpyDtoHAsync(to, source, bytes, on.stream), "copying from the GPU");
  else
    upload(on, on.stream, target, from, bytes);
  // What is small lies in the driver's own memory by now.
  if (kind == stoker_host_to_device && bytes <= taken_at_once) return;
  check(d.cuStreamSynchronize(on.stream), "waiting for the GPU");
}

int32_t copy(int32_t device, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  if (bytes == 0) return 0;
  if (kind != stoker_host_to_idle_device)
    return guarded_on(device, [&](const Gpu& on) { copy_in_turn(on, to, from, bytes, kind); });
  return guarded([&] {
    const Gpu& on = gpu(device);
    make_current(on);
    copy_to_idle(on, reinterpret_cast<CUdeviceptr>(to), from, bytes);
  });
}

int32_t plan_kernel(int32_t device, const StokerNode* node, StokerPlan* out) {
  return guarded_on(device, [&](const Gpu&) {
    auto kernel = plan(NodeView(*node));
    out->workspace = kernel->workspace;
    out->implementation = kernel->implementation;
    out->kernel = kernel.release();
  });
}
void release_kernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

void* create_program(int32_t device, const StokerCall* calls, int32_t count) {
  void* program = nullptr;
  guarded_on(device, [&](Gpu& on) {
    program = new Program(on, {calls, static_cast<size_t>(count)});
  });
  return program;
}
int32_t run_program(void* program, const StokerRun* run) {
  auto* ready = static_cast<Program*>(program);
  return guarded([&] { alone_on(ready->gpu(), [&](const Gpu&) { ready->run(*run); }); });
}
void release_program(void* program) {
  auto* ready = static_cast<Program*>(program);
  guarded([&] { alone_on(ready->gpu(), [&](const Gpu&) { delete ready; }); });
}

int32_t synchronize(int32_t device) {
  return guarded_on(device, [&](const Gpu& opened) {
    check(driver().cuStreamSynchronize(opened.stream), "waiting for the GPU");
  });
}

const StokerBackend table{stoker_backend_interface,
                          "cuda",
                          "GPU",
                          unavailable,
                          device_count,
                          describe,
                          memory_holders,
                          library_report,
                          configure,
                          allocate,
                          deallocate,
                          copy,
                          plan_kernel,
                          release_kernel,
                          create_program,
                          run_program,
                          release_program,
                          synchronize,
                          [] { return last_error.c_str(); }};

}  // namespace
}  // namespace stoker::cuda

// For tests: allocations, waits, launches and graph launches so far.
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
