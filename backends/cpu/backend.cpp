#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/thread_pool.h"
#include "kernel.h"
#include "stoker/error.h"
#include "sum_order.h"

// The table of functions that the engine sees.
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

// What the machine has, or what the control group leaves of it.
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
  put(out->detail, fmt::format("{} threads", out->cores));
  return 0;
}

// float32 is float32 here: "tf32" means nothing.
void configure(const char* key, int64_t value) {
  if (std::string_view(key) == "deterministic") set_fixed_sum_order(value != 0);
}

// The kernel would promise more than there is and kill the process later: refuse now.
void* allocate(int32_t, uint64_t bytes) {
  constexpr uint64_t line = 64, huge_page = uint64_t{2} << 20, small = uint64_t{64} << 20;
  if (bytes > small) {
    uint64_t total = 0, available = 0;
    memory(total, available);
    if (bytes > available) {
      last_error.clear();  // describe() says it all
      return nullptr;
    }
  }
  // Rows of a large matrix are pages apart: on huge pages a tile needs far fewer address look-ups.
  const uint64_t alignment = bytes >= huge_page ? huge_page : line;
  const uint64_t rounded = (bytes + line - 1) / line * line;
  void* pointer = nullptr;
  if (posix_memalign(&pointer, alignment, rounded) != 0) return nullptr;
  if (alignment == huge_page) madvise(pointer, rounded, MADV_HUGEPAGE);  // a wish, not a need
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

// The step as a list of calls with their pointers side by side.
struct Program {
  struct Call {
    Kernel* kernel;
    size_t first_argument;
    void* workspace;
  };
  struct Binding {
    size_t argument;
    int32_t input;
  };
  std::vector<Call> calls;
  std::vector<void*> arguments;
  std::vector<Binding> bindings;  // arguments that are inputs of the step
};

void* create_program(int32_t, const StokerCall* calls, int32_t count) {
  auto program = std::make_unique<Program>();
  for (int32_t c = 0; c < count; ++c) {
    program->calls.push_back(
        {static_cast<Kernel*>(calls[c].kernel), program->arguments.size(), calls[c].workspace});
    for (int32_t i = 0; i < calls[c].num_arguments; ++i) {
      const StokerPointer& pointer = calls[c].arguments[i];
      if (pointer.input >= 0)
        program->bindings.push_back({program->arguments.size(), pointer.input});
      program->arguments.push_back(pointer.address);
    }
  }
  return program.release();
}

int32_t run_program(void* handle, const StokerRun* run) {
  auto& program = *static_cast<Program*>(handle);
  for (int64_t step = 0; step < run->steps; ++step) {
    for (const auto& [argument, input] : program.bindings)
      program.arguments[argument] = static_cast<std::byte*>(run->inputs[input]) +
                                    (run->strides ? step * run->strides[input] : 0);
    for (const auto& call : program.calls)
      call.kernel->run(program.arguments.data() + call.first_argument, call.workspace);
  }
  return 0;
}
void release_program(void* program) { delete static_cast<Program*>(program); }

const StokerBackend table{stoker_backend_interface,
                          "cpu",
                          "CPU",
                          []() -> const char* { return nullptr; },
                          [] { return int32_t{1}; },
                          describe,
                          [](int32_t) { return ""; },
                          [] { return ""; },
                          configure,
                          allocate,
                          deallocate,
                          copy,
                          plan_kernel,
                          release_kernel,
                          create_program,
                          run_program,
                          release_program,
                          [](int32_t) { return int32_t{0}; },
                          [] { return last_error.c_str(); }};

}  // namespace
}  // namespace stoker::cpu

extern "C" __attribute__((visibility("default"))) const StokerBackend* stoker_backend(uint32_t) {
  return &stoker::cpu::table;
}
