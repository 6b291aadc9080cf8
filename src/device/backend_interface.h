#pragma once
#include <cstdint>

// The whole of what a backend plugin and the engine know of each other: plain data in and out, no
// exceptions across. A plugin exports
//   extern "C" const StokerBackend* stoker_backend(uint32_t host_interface);
// whose interface_version the engine compares with its own; one that knows several chooses.
// Functions that can fail return 0 for success and leave a sentence for last_error().
extern "C" {

inline constexpr uint32_t stoker_backend_interface = 10;

struct StokerTensor {
  int32_t dtype;  // the numbers of stoker::DType
  int32_t rank;
  // The rows of what a gather reads may be -1, not known: its indices are then in range. Nothing
  // else.
  const int64_t* dims;
};

enum StokerAttrKind : int32_t {
  stoker_int,
  stoker_float,
  stoker_string,
  stoker_ints,
  stoker_floats
};

struct StokerAttr {
  const char* name;
  StokerAttrKind kind;
  int32_t count;  // of ints or floats
  int64_t i;
  double f;
  const char* s;
  const int64_t* ints;
  const double* floats;
};

struct StokerNode {
  const char* op;
  const StokerTensor* inputs;
  const StokerTensor* outputs;
  const StokerAttr* attrs;
  int32_t num_inputs, num_outputs, num_attrs;
};

// How a backend would run a node. `kernel` is the backend's and is given back to release_kernel.
struct StokerPlan {
  void* kernel;
  const char* implementation;  // lives as long as the kernel
  uint64_t workspace;          // bytes of scratch memory the caller provides
};

// A pointer that is fixed at compile time, or one of the step's inputs, bound at each run.
struct StokerPointer {
  void* address;
  int32_t input;  // -1: fixed
  void* twin;     // where it may lie in every second step, counted from the last; null: where it is
};

// `after`: which earlier calls of the program must be done before this one starts. They alone order
// a step; a backend that runs calls one after the other may as well run them as they come. Steps in
// a row may overlap if every second one uses the twins: then a call waits at least for
// `after_previous` of the step before, and one without `after` for all of the step before that.
struct StokerCall {
  void* kernel;
  const StokerPointer* arguments;  // inputs, then outputs
  int32_t num_arguments;
  void* workspace;
  const int32_t *after, *after_previous;
  int32_t num_after, num_after_previous;
  void* twin_workspace;  // null: it has none, nor have the arguments
  const char* name;      // the layer's path and the op; valid until create_program returns
  int32_t node;          // of the step's graph; -1: it belongs to none
};

struct StokerDevice {
  char name[128];
  uint64_t memory, memory_free;
  uint64_t context;  // bytes of `memory` that the driver and its libraries take for this process
  // Scratch memory up to which the calls of a program get bytes of their own (and twins up to a
  // quarter of it), so that more of them can run at once; 0: they run one after the other anyway.
  uint64_t apart;
  // 1: inputs that lie elsewhere in every step are first copied to memory of the backend's own.
  int32_t copies_inputs;
  int32_t cores;
  char detail[256];  // instruction set, or driver, runtime and library versions
};

// Stands for work that a device was given: done when that is done. 0 is done already.
using StokerTicket = uint64_t;

enum StokerCopyKind : int32_t {
  stoker_host_to_device,
  stoker_device_to_host,
  stoker_device_to_device,
  stoker_host_to_idle_device  // nothing that runs uses that memory: no need to wait for it
};

// Steps one after the other, each with its inputs moved on by `strides` bytes. A program whose
// inputs never move may be given no strides.
struct StokerRun {
  void* const* inputs;
  const int64_t* strides;
  int64_t steps;
  StokerTicket after;  // they begin when this is done
};

struct StokerRows {
  const void* table;  // where the device finds it
  uint64_t row_bytes;
  const int64_t* indices;
  int64_t count;
};

// Memory that a program takes by itself, such as slots for inputs that move. It is on the device's
// account and counts against its limit. The engine gets it by `allocate`, so a program asks for it
// while it holds no lock that this needs. Valid until release_program returns.
struct StokerAllocator {
  void* context;
  // Null: there is no room. The call that asked for it fails, and the engine says why.
  void* (*take)(void* context, uint64_t bytes, const char* what);
  void (*give)(void* context, void* memory);
};

// When a call of a program ran, on the device's clock.
struct StokerSpan {
  const char* name;  // the call's; valid as long as the plugin
  int32_t node;
  int64_t begin, end;  // nanoseconds
};

// A table is filled by name, and what it leaves out is null. Only the last three groups may be,
// each as a whole.
struct StokerBackend {
  uint32_t interface_version;
  const char* name;
  const char* kind;              // of all its devices: "CPU", "GPU"
  const char* (*unavailable)();  // why there is no device, in one sentence; null where there is one
  int32_t (*device_count)();
  int32_t (*describe)(int32_t device, StokerDevice* out);  // may start the device
  const char* (*memory_holders)(int32_t device);  // other processes that have its memory, else ""
  const char* (*libraries)();  // what it stands on: versions, or why one is missing; may be slow

  // Switches for what is planned from now on: "tf32", "deterministic". Unknown ones are ignored.
  void (*configure)(const char* key, int64_t value);

  void* (*allocate)(int32_t device, uint64_t bytes);  // null: last_error() says who has the memory
  void (*deallocate)(int32_t device, void* memory);
  int32_t (*copy)(int32_t device, void* to, const void* from, uint64_t bytes, StokerCopyKind kind);

  int32_t (*plan)(int32_t device, const StokerNode* node,
                  StokerPlan* out);  // fails with the refusals
  void (*release_kernel)(void* kernel);

  void* (*create_program)(int32_t device, const StokerCall* calls, int32_t count,
                          const StokerAllocator* allocator);
  // May return before it is done, but not before all of this program's runs but the last two are.
  int32_t (*run_program)(void* program, const StokerRun* run);
  void (*release_program)(void* program);

  int32_t (*synchronize)(int32_t device);  // waits; fails with what went wrong since the last time

  const char* (*last_error)();  // of this thread

  // Copies beside the steps. Null: the host's memory is the device's.
  void* (*allocate_pinned)(int32_t device, uint64_t bytes);  // on the host, page-locked
  void (*deallocate_pinned)(int32_t device, void* memory);
  // From or to pinned memory; begins when `after` is done, returns at once. Both places must stay
  // as they are until the ticket is done.
  int32_t (*copy_async)(int32_t device, void* to, const void* from, uint64_t bytes,
                        StokerCopyKind kind, StokerTicket after, StokerTicket* ticket);
  int32_t (*mark)(int32_t device, StokerTicket* ticket);  // of all runs so far
  int32_t (*wait)(int32_t device, StokerTicket ticket);   // the host waits until it is done
  int32_t (*is_done)(int32_t device, StokerTicket ticket, int32_t* done);
  // From when one was done until the other was, on the device's clock; waits for both.
  int32_t (*elapsed)(int32_t device, StokerTicket from, StokerTicket to, int64_t* nanoseconds);

  // Rows of the program's own memory, which the device reads by itself. Null: it cannot.
  // Page-locks the memory; `on_device` is where the device finds it. The same memory may be pinned
  // several times.
  int32_t (*pin)(int32_t device, const void* memory, uint64_t bytes, const void** on_device);
  void (*unpin)(int32_t device, const void* memory);
  // Row indices[i] of a pinned table becomes row i of `to`; beside the steps, as copy_async. The
  // indices lie on the device.
  int32_t (*gather_async)(int32_t device, void* to, const StokerRows* rows, StokerTicket after,
                          StokerTicket* ticket);

  // When each call ran. Null: the backend does not know.
  int32_t (*start_profile)(int32_t device);  // forgets earlier spans
  int32_t (*stop_profile)(int32_t device);
  // Takes the oldest, waiting until their calls are done; how many, or -1 where that failed.
  int64_t (*read_profile)(int32_t device, StokerSpan* out, int64_t most);
};

using StokerBackendEntry = const StokerBackend* (*)(uint32_t host_interface);

}  // extern "C"
