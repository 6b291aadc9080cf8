#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/round_up.h"
#include "core/thread_pool.h"
#include "kernel.h"
#include "kernels/instruction_set.h"
#include "profile.h"
#include "program.h"
#include "stoker/error.h"
#include "sum_order.h"

// The backend's function table.
namespace stoker::cpu {
namespace {

thread_local std::string last_error;

int32_t fail(const std::string& why) {
  last_error = why;
  return 1;
}

template <size_t n>
void put(char (&to)[n], const std::string& text) {
  to[text.copy(to, n - 1)] = '\0';
}

std::string model_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "CPU";
}

uint64_t read_number(const char* path, uint64_t fallback) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? value : fallback;
}

// The machine's memory, or the cgroup's limit.
void memory(uint64_t& total, uint64_t& available) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  total = page * static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  available = page * static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES));
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0)
      available = std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  const uint64_t limit =
      read_number("/sys/fs/cgroup/memory.max", std::numeric_limits<uint64_t>::max());
  const uint64_t used = read_number("/sys/fs/cgroup/memory.current", 0);
  total = std::min(total, limit);
  if (limit != std::numeric_limits<uint64_t>::max())
    available = std::min(available, limit > used ? limit - used : 0);
}

int32_t describe(int32_t, StokerDevice* out) {
  put(out->name, model_name());
  memory(out->memory, out->memory_free);
  out->cores = ThreadPool::global().size();
  put(out->detail, fmt::format("{} threads, {}", out->cores, instruction_set()));
  return 0;
}

// "tf32" has no effect on the CPU.
void configure(const char* key, int64_t value) {
  if (std::string_view(key) == "deterministic") set_fixed_sum_order(value != 0);
}

// Linux would overcommit and kill the process later: refuse now.
void* allocate(int32_t, uint64_t bytes) {
  constexpr uint64_t line = 64, huge_page = uint64_t{2} << 20, small = uint64_t{64} << 20;
  if (bytes > small) {
    uint64_t total = 0, available = 0;
    memory(total, available);
    if (bytes > available) {
      last_error.clear();  // the engine reports describe() instead
      return nullptr;
    }
  }
  // Rows of a large matrix are pages apart: with huge pages a tile needs far fewer TLB entries.
  const uint64_t alignment = bytes >= huge_page ? huge_page : line;
  const uint64_t rounded = round_up(bytes, line);
  void* pointer = nullptr;
  if (posix_memalign(&pointer, alignment, rounded) != 0) return nullptr;
  if (alignment == huge_page) madvise(pointer, rounded, MADV_HUGEPAGE);  // a hint only
  return pointer;
}
void deallocate(int32_t, void* pointer) { std::free(pointer); }

int32_t copy(int32_t, void* to, const void* from, uint64_t bytes, StokerCopyKind) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
  return 0;
}

int32_t plan_kernel(int32_t, const StokerNode* node, StokerPlan* out) {
  try {
    auto kernel = plan(NodeView(*node));
    out->workspace = kernel->workspace;
    out->implementation = kernel->implementation;
    out->kernel = kernel.release();
    return 0;
  } catch (const Error& error) {
    return fail(error.message());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
void release_kernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

void* create_program(int32_t, const StokerCall* calls, int32_t count, const StokerAllocator*) {
  return new Program({calls, static_cast<size_t>(count)});
}
int32_t run_program(void* program, const StokerRun* run) {
  static_cast<Program*>(program)->run(*run);
  return 0;
}
void release_program(void* program) { delete static_cast<Program*>(program); }

const StokerBackend table{
    .interface_version = stoker_backend_interface,
    .name = "cpu",
    .kind = "CPU",
    .unavailable = []() -> const char* { return nullptr; },
    .device_count = [] { return int32_t{1}; },
    .describe = describe,
    .memory_holders = [](int32_t) { return ""; },
    .libraries = [] { return ""; },
    .configure = configure,
    .allocate = allocate,
    .deallocate = deallocate,
    .copy = copy,
    .plan = plan_kernel,
    .release_kernel = release_kernel,
    .create_program = create_program,
    .run_program = run_program,
    .release_program = release_program,
    .synchronize = [](int32_t) { return int32_t{0}; },
    .last_error = [] { return last_error.c_str(); },
    .start_profile = [](int32_t) { return Profile::instance().start(); },
    .stop_profile = [](int32_t) { return Profile::instance().stop(); },
    .read_profile = [](int32_t, StokerSpan* out,
                       int64_t most) { return Profile::instance().read(out, most); },
    .dropped_calls = [](int32_t) { return Profile::instance().dropped(); }};

}  // namespace
}  // namespace stoker::cpu

extern "C" __attribute__((visibility("default"))) const StokerBackend* stoker_backend(uint32_t) {
  return &stoker::cpu::table;
}
