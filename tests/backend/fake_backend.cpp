#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/backend_interface.h"
#include "fake_control.h"
#include "fake_memory.h"

// FAKE_INTERFACE, FAKE_UNAVAILABLE and FAKE_ENTRY create plugins that do not fit, FAKE_PLAIN one
// without optional entries.
#ifndef FAKE_INTERFACE
#define FAKE_INTERFACE stoker_backend_interface
#endif
#ifndef FAKE_UNAVAILABLE
#define FAKE_UNAVAILABLE nullptr
#endif
#ifndef FAKE_ENTRY
#define FAKE_ENTRY stoker_backend
#endif
#ifndef FAKE_PLAIN
#define FAKE_PLAIN false
#endif

namespace stoker::fake {
namespace {

thread_local std::string last_error;
// guards everything below in each function of the table, except while programs run
std::mutex guard;
using Lock = std::lock_guard<std::mutex>;
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

// The CPU plugin computes.
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

void wait() {
  if (control.pass) control.pass(std::exchange(control.under_way, 0));
}

const char* unavailable() { return FAKE_UNAVAILABLE; }
int32_t device_count() { return unavailable() ? 0 : control.devices; }

int32_t describe(int32_t device, StokerDevice* out) {
  const Lock lock(guard);
  *out = {};
  ++control.descriptions;
  std::snprintf(out->name, sizeof(out->name), "Fake GPU %d", device);
  std::strcpy(out->detail, "driver 1.2, runtime 3.4");
  out->memory = control.memory;
  out->memory_free = control.memory - memory.used();
  out->no_reuse_limit = 1 << 16;
  out->copies_inputs = control.copies_inputs;
  out->cores = 1;
  return 0;
}

void* allocate(int32_t, uint64_t bytes) {
  const Lock lock(guard);
  ++control.allocations;
  void* address = memory.allocate(bytes, control.memory);
  if (!address) fail("process 4711 (other) holds 1 GB of it");
  return address;
}
void deallocate(int32_t, void* address) {
  const Lock lock(guard);
  memory.deallocate(address);
}

int32_t copy(int32_t, void* to, const void* from, uint64_t bytes, StokerCopyKind kind) {
  if (bytes == 0) return 0;
  const Lock lock(guard);
  const bool to_device = kind != stoker_device_to_host,
             from_device = kind == stoker_device_to_host || kind == stoker_device_to_device;
  if (memory.owns(to) != to_device || memory.owns(from) != from_device)
    return fail("a copy between the wrong sides");
  control.copies_to_device += kind == stoker_host_to_device || kind == stoker_host_to_idle_device;
  control.copies_on_device += kind == stoker_device_to_device;
  if (kind == stoker_device_to_host) {
    ++control.copies_to_host;
    wait();
  }
  std::memmove(to_device ? memory.behind(to) : to, from_device ? memory.behind(from) : from, bytes);
  return 0;
}

// Copies by copy_async that nobody has waited for yet. As they are made late, a result is wrong if
// the source was changed too early or a reader did not wait.
struct LateCopy {
  StokerTicket ticket;
  void* to;
  const void* from;
  uint64_t bytes;
};
std::vector<LateCopy> late;
std::vector<int64_t> ticket_times = {0};  // by ticket, on a clock that steps advance
int64_t clock_now = 0;

StokerTicket next_ticket() {
  ticket_times.push_back(clock_now);
  return ticket_times.size() - 1;
}

template <class T>
T* on_host(T* address) {
  return memory.owns(address) ? memory.behind(address) : address;
}

void finish_copies(StokerTicket ticket) {
  while (!late.empty() && late.front().ticket <= ticket) {
    const LateCopy next = late.front();
    late.erase(late.begin());
    std::memmove(on_host(next.to), on_host(next.from), next.bytes);
  }
}

void* allocate_pinned(int32_t, uint64_t bytes) { return std::malloc(bytes); }
void deallocate_pinned(int32_t, void* pinned) { std::free(pinned); }

int32_t copy_async(int32_t, void* to, const void* from, uint64_t bytes, StokerCopyKind kind,
                   StokerTicket after, StokerTicket* ticket) {
  const Lock lock(guard);
  const bool up = kind == stoker_host_to_device;
  if ((!up && kind != stoker_device_to_host) || memory.owns(to) != up || memory.owns(from) == up)
    return fail("a copy between the wrong sides");
  ++control.async_copies;
  finish_copies(after);
  late.push_back({* ticket = next_ticket(), to, from, bytes});
  return 0;
}

int32_t mark(int32_t, StokerTicket* ticket) {
  const Lock lock(guard);
  *ticket = next_ticket();
  return 0;
}

int32_t wait_for(int32_t, StokerTicket ticket) {
  const Lock lock(guard);
  ++control.tickets_waited_for;
  finish_copies(ticket);
  return 0;
}

// Steps are in flight until somebody waits for the device.
int32_t is_done(int32_t, StokerTicket, int32_t* done) {
  const Lock lock(guard);
  *done = control.under_way == 0;
  return 0;
}

int32_t elapsed(int32_t, StokerTicket from, StokerTicket to, int64_t* nanoseconds) {
  const Lock lock(guard);
  if (from >= ticket_times.size() || to >= ticket_times.size())
    return fail("a ticket that was never issued");
  *nanoseconds = ticket_times[to] - ticket_times[from];
  return 0;
}

// The run's steps take their time, after the copies that they wait for. Requires the guard.
void begin_run(const StokerRun& run) {
  finish_copies(run.after);
  clock_now += run.steps * control.step_nanoseconds;
  control.under_way += run.steps * control.step_nanoseconds;
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

// Latest first wherever `after` allows it: a missing dependency gives a wrong result.
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

void* create_program(int32_t device, const StokerCall* calls, int32_t count,
                     const StokerAllocator* allocator) {
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
  return new Program{cpu().create_program(device, inner.data(), count, allocator),
                     std::vector<void*>(static_cast<size_t>(inputs))};
}

// Counts the steps and makes the copies they wait for.
int32_t begin_steps(Program& program, const StokerRun* run) {
  const Lock lock(guard);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!memory.owns(run->inputs[i])) return fail("an input is not on the device");
    program.inputs[i] = memory.behind(run->inputs[i]);
  }
  ++control.runs;
  begin_run(*run);
  const int64_t first = control.steps + 1;
  control.steps += run->steps;
  if (control.fail_at_step >= first && control.fail_at_step <= control.steps)
    return fail("an illegal memory access was encountered");
  return 0;
}

int32_t run_program(void* handle, const StokerRun* run) {
  auto& program = *static_cast<Program*>(handle);
  if (const int32_t status = begin_steps(program, run); status != 0) return status;
  const StokerRun inner{program.inputs.data(), run->strides, run->steps};
  return cpu().run_program(program.inner, &inner);
}

void release_program(void* handle) {
  auto* program = static_cast<Program*>(handle);
  cpu().release_program(program->inner);
  delete program;
}

int32_t synchronize(int32_t) {
  const Lock lock(guard);
  ++control.waits;
  wait();
  return 0;
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
    .synchronize = synchronize,
    .last_error = [] { return last_error.c_str(); },
    .allocate_pinned = FAKE_PLAIN ? nullptr : allocate_pinned,
    .deallocate_pinned = FAKE_PLAIN ? nullptr : deallocate_pinned,
    .copy_async = FAKE_PLAIN ? nullptr : copy_async,
    .mark = FAKE_PLAIN ? nullptr : mark,
    .wait = FAKE_PLAIN ? nullptr : wait_for,
    .is_done = FAKE_PLAIN ? nullptr : is_done,
    .elapsed = FAKE_PLAIN ? nullptr : elapsed};

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
