#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend_interface.h"
#include "fake_control.h"
#include "fake_memory.h"

// FAKE_INTERFACE, FAKE_UNAVAILABLE and FAKE_ENTRY make the plugins that do not fit.
#ifndef FAKE_INTERFACE
#define FAKE_INTERFACE stoker_backend_interface
#endif
#ifndef FAKE_UNAVAILABLE
#define FAKE_UNAVAILABLE nullptr
#endif
#ifndef FAKE_ENTRY
#define FAKE_ENTRY stoker_backend
#endif

namespace stoker::fake {
namespace {

thread_local std::string last_error;
std::mutex guard;
FakeMemory memory;

int32_t fail(const std::string& why) {
  last_error = why;
  return 1;
}

int64_t number_of(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

StokerFakeControl control = [] {
  StokerFakeControl c{};
  c.devices = static_cast<int32_t>(number_of("STOKER_FAKE_DEVICES", 2));
  c.memory = static_cast<uint64_t>(number_of("STOKER_FAKE_MEMORY", int64_t{1} << 30));
  c.fail_at_step = number_of("STOKER_FAKE_FAIL_AT", 0);
  if (const char* refuse = std::getenv("STOKER_FAKE_REFUSE"))
    std::snprintf(c.refuse, sizeof(c.refuse), ",%s,", refuse);
  return c;
}();

// The CPU's plugin does the arithmetic.
const StokerBackend& cpu() {
  static const StokerBackend* table = [] {
    void* library = dlopen(FAKE_CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "the fake backend: %s\n", dlerror());
      std::abort();
    }
    const auto entry = reinterpret_cast<StokerBackendEntry>(dlsym(library, "stoker_backend"));
    return entry(stoker_backend_interface);
  }();
  return *table;
}

const char* unavailable() { return FAKE_UNAVAILABLE; }
int32_t device_count() { return unavailable() ? 0 : control.devices; }

int32_t describe(int32_t device, StokerDevice* out) {
  *out = {};
  ++control.descriptions;
  std::snprintf(out->name, sizeof(out->name), "Fake GPU %d", device);
  std::strcpy(out->detail, "driver 1.2, runtime 3.4");
  out->memory = control.memory;
  out->memory_free = control.memory - memory.used();
  out->apart = 1 << 16;
  out->copies_inputs = control.copies_inputs;
  out->cores = 1;
  return 0;
}

void* allocate(int32_t, uint64_t bytes) {
  const std::lock_guard lock(guard);
  ++control.allocations;
  void* address = memory.allocate(bytes, control.memory);
  if (!address) fail("process 4711 (other) holds 1 GB of it");
  return address;
}
void deallocate(int32_t, void* address) {
  const std::lock_guard lock(guard);
  memory.deallocate(address);
}

int32_t copy(int32_t, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  if (bytes == 0) return 0;
  const bool to_device = kind != stoker_device_to_host,
             from_device = kind == stoker_device_to_host || kind == stoker_device_to_device;
  if (memory.owns(to) != to_device || memory.owns(from) != from_device)
    return fail("a copy between the wrong sides");
  control.copies_to_device += kind == stoker_host_to_device || kind == stoker_host_to_idle_device;
  control.copies_to_host += kind == stoker_device_to_host;
  std::memmove(to_device ? memory.behind(to) : to, from_device ? memory.behind(from) : from, bytes);
  return 0;
}

int32_t plan(int32_t device, const StokerNode* node, StokerPlan* out) {
  if (std::strstr(control.refuse, ("," + std::string(node->op) + ",").c_str()))
    return fail("the fake backend was told to refuse it");
  const int32_t status = cpu().plan(device, node, out);
  return status == 0 ? 0 : fail(cpu().last_error());
}

struct Program {
  void* inner;
  std::vector<void*> inputs;
};

// Latest first wherever `after` allows it: what is missing there shows in a result.
std::vector<StokerCall> in_unlikely_order(const StokerCall* calls, int32_t count) {
  std::vector<StokerCall> ordered;
  std::vector<bool> done(static_cast<size_t>(count));
  const auto is_done = [&](int32_t c) { return done[static_cast<size_t>(c)]; };
  while (ordered.size() < done.size()) {
    int32_t c = count - 1;
    while (is_done(c) || !std::all_of(calls[c].after, calls[c].after + calls[c].num_after, is_done))
      --c;
    done[static_cast<size_t>(c)] = true;
    ordered.push_back(calls[c]);
  }
  return ordered;
}

void* create_program(int32_t device, const StokerCall* calls, int32_t count) {
  std::vector<StokerCall> inner = in_unlikely_order(calls, count);
  std::vector<std::vector<StokerPointer>> arguments;
  int32_t inputs = 0;
  for (StokerCall& call : inner) {
    auto& own = arguments.emplace_back(call.arguments, call.arguments + call.num_arguments);
    for (StokerPointer& pointer : own) {
      inputs = std::max(inputs, pointer.input + 1);
      if (pointer.input >= 0) continue;
      if (!memory.owns(pointer.address)) {
        fail("an argument is not on the device");
        return nullptr;
      }
      pointer.address = memory.behind(pointer.address);
    }
    call.arguments = own.data();
    if (call.workspace) call.workspace = memory.behind(call.workspace);
  }
  return new Program{cpu().create_program(device, inner.data(), count),
                     std::vector<void*>(static_cast<size_t>(inputs))};
}

int32_t run_program(void* handle, const StokerRun* run) {
  auto& program = *static_cast<Program*>(handle);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!memory.owns(run->inputs[i])) return fail("an input is not on the device");
    program.inputs[i] = memory.behind(run->inputs[i]);
  }
  const int64_t first = control.steps + 1;
  control.steps += run->steps;
  if (control.fail_at_step >= first && control.fail_at_step <= control.steps)
    return fail("an illegal memory access was encountered");
  const StokerRun inner{program.inputs.data(), run->strides, run->steps};
  return cpu().run_program(program.inner, &inner);
}

void release_program(void* handle) {
  auto* program = static_cast<Program*>(handle);
  cpu().release_program(program->inner);
  delete program;
}

const StokerBackend table{
    .interface_version = FAKE_INTERFACE,
    .name = "fake",
    .kind = "GPU",
    .unavailable = unavailable,
    .device_count = device_count,
    .describe = describe,
    .memory_holders = [](int32_t) { return "process 4711 (other) holds 1.0 GB"; },
    .libraries = [] { return "libfake 5.6"; },
    .configure = [](const char*, int64_t) {},
    .allocate = allocate,
    .deallocate = deallocate,
    .copy = copy,
    .plan = plan,
    .release_kernel = [](void* kernel) { cpu().release_kernel(kernel); },
    .create_program = create_program,
    .run_program = run_program,
    .release_program = release_program,
    .synchronize = [](int32_t) { return int32_t{0}; },
    .last_error = [] { return last_error.c_str(); }};

}  // namespace
}  // namespace stoker::fake

extern "C" {
__attribute__((visibility("default"))) StokerFakeControl* stoker_fake_control() {
  return &stoker::fake::control;
}
__attribute__((visibility("default"))) const StokerBackend* FAKE_ENTRY(uint32_t) {
  return &stoker::fake::table;
}
}
