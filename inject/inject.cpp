// Traces the GPU activity of any CUDA program from inside, by CUPTI: a library that the CUDA driver
// loads by CUDA_INJECTION64_PATH. `stoker why --kernels -- COMMAND` sets it. Tracing costs time, so
// it is on for two seconds in sixty; each window becomes a line of JSON in STOKER_INJECT_FILE.
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>

#include "window.h"

namespace stoker::inject {
namespace {

constexpr size_t buffer_bytes = size_t{4} << 20;

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityDisable) disable;
  decltype(&cuptiActivityFlushAll) flush;
  decltype(&cuptiActivityGetNextRecord) next;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped;
  decltype(&cuptiGetTimestamp) now;
  decltype(&cuptiGetResultString) text_of;
} cupti;

constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY};

Window& window() {
  static auto* const only = new Window;  // leaked: CUPTI may call back after static destruction
  return *only;
}

double seconds_of(const char* variable, double otherwise) {
  const char* given = std::getenv(variable);
  const double value = given ? std::atof(given) : 0;
  return value > 0 ? value : otherwise;
}

// One write, so that lines of several processes do not mix.
void write_line(const std::string& line) {
  const char* path = std::getenv("STOKER_INJECT_FILE");
  if (!path) return;
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  const std::string text = line + "\n";
  [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
  ::close(file);
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer ? buffer_bytes : 0;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                          size_t valid) {
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cupti.next(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      // Begin, end and name have the same offsets in all versions of this record.
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      window().add_kernel(kernel->name, kernel->start, kernel->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      const bool pageable = copy->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
                            copy->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
      window().add_copy(copy->start, copy->end, copy->bytes, pageable);
    }
  }
  size_t dropped = 0;
  if (cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) window().add_dropped(dropped);
  std::free(buffer);
}

bool turn_on() {
  for (const CUpti_ActivityKind kind : kinds)
    if (const CUptiResult result = cupti.enable(kind); result != CUPTI_SUCCESS) {
      const char* why = nullptr;
      cupti.text_of(result, &why);
      write_line(refusal(why ? why : "an unknown error"));
      for (const CUpti_ActivityKind enabled : kinds) cupti.disable(enabled);
      return false;
    }
  return true;
}

uint64_t now() {
  uint64_t time = 0;
  cupti.now(&time);
  return time;
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

bool run_window(double seconds) {
  if (!turn_on()) return false;
  const uint64_t begin = now();
  pause(seconds);
  const uint64_t end = now();
  for (const CUpti_ActivityKind kind : kinds) cupti.disable(kind);
  cupti.flush(1);
  write_line(window().take(begin, end, ::getpid()));
  return true;
}

void run_windows() {
  const double length = seconds_of("STOKER_INJECT_SECONDS", 2),
               first = seconds_of("STOKER_INJECT_FIRST", 5),
               every = seconds_of("STOKER_INJECT_EVERY", 60);
  pause(first);
  while (run_window(length)) pause(every > length ? every - length : 0.001);
}

// The application's own first: two copies in a process conflict.
void* open_cupti() {
  const char* const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                               "libcupti.so"};
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  for (const char* path :
       {"/usr/local/cuda/lib64/libcupti.so", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})
    if (void* library = dlopen(path, RTLD_NOW)) return library;
  return nullptr;
}

bool load_functions(void* library) {
  const auto load = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  return load(cupti.register_callbacks, "cuptiActivityRegisterCallbacks") &&
         load(cupti.enable, "cuptiActivityEnable") && load(cupti.disable, "cuptiActivityDisable") &&
         load(cupti.flush, "cuptiActivityFlushAll") &&
         load(cupti.next, "cuptiActivityGetNextRecord") &&
         load(cupti.dropped, "cuptiActivityGetNumDroppedRecords") &&
         load(cupti.now, "cuptiGetTimestamp") && load(cupti.text_of, "cuptiGetResultString");
}

}  // namespace
}  // namespace stoker::inject

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace stoker::inject;
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return 1;
  void* library = open_cupti();
  if (!library) {
    write_line(refusal("no libcupti.so was found: the CUDA toolkit has it, and so does PyTorch"));
    return 1;
  }
  if (!load_functions(library)) {
    write_line(refusal("libcupti.so is too old"));
    return 1;
  }
  if (cupti.register_callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) {
    write_line(refusal("another profiler holds CUPTI"));
    return 1;
  }
  std::thread(run_windows).detach();
  return 1;
}
