#pragma once
#include <cstdint>

// The complete interface between the engine and a backend plugin: plain data only, and no exception
// crosses it. A plugin exports
//
//   extern "C" const StokerBackend* stoker_backend(uint32_t host_interface);
//
// The engine compares the table's interface_version with its own; a plugin that supports several
// versions returns the matching table. Functions that can fail return 0 for success; otherwise
// last_error() returns a message.
extern "C" {

inline constexpr uint32_t stoker_backend_interface = 11;

struct StokerTensor {
  int32_t dtype;  // the values of stoker::DType
  int32_t rank;
  // The first dimension of the table of a gather may be -1 (unknown): then its indices are known to
  // be in range. No other dimension is ever unknown.
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

// How a backend would run a node. The backend owns `kernel`; the engine passes it to
// release_kernel.
struct StokerPlan {
  void* kernel;
  const char* implementation;  // lives as long as the kernel
  uint64_t workspace;          // bytes of scratch memory the caller provides
};

// A pointer that is fixed at compile time, or one of the step's inputs, bound at each run.
struct StokerPointer {
  void* address;
  int32_t input;  // -1: fixed
  // Double buffer: every second step, counted back from the last one, uses this address. Null: all
  // steps use `address`.
  void* second_buffer;
};

// `after`: indices of earlier calls of the program that must have finished before this call starts.
// These are the only ordering constraints within a step; a backend that runs calls sequentially may
// run them in the given order. Consecutive steps may overlap if every second one uses the second
// buffers: then a call waits at least for `after_previous`, calls of the previous step, and a call
// without `after` waits for the whole step before that.
struct StokerCall {
  void* kernel;
  const StokerPointer* arguments;  // inputs, then outputs
  int32_t num_arguments;
  void* workspace;
  const int32_t *after, *after_previous;
  int32_t num_after, num_after_previous;
  void* second_workspace;  // double buffer; null: neither the call nor its arguments have one
  const char* name;        // the layer's path and the op; valid until create_program returns
  int32_t node;            // index in the step's graph; -1: none
};

struct StokerDevice {
  char name[128];
  uint64_t memory, memory_free;
  uint64_t context;  // bytes of `memory` used by the driver and its libraries in this process
  // A program that needs at most this many bytes of scratch memory reuses none of it, and double
  // buffers it up to a quarter of that, so that more calls can run concurrently. 0: calls run
  // sequentially anyway.
  uint64_t no_reuse_limit;
  // 1: inputs whose address changes from step to step are first copied to the backend's own memory.
  int32_t copies_inputs;
  int32_t cores;
  char detail[256];  // instruction set, or driver, runtime and library versions
};

// Identifies work submitted to a device, like an event: done when that work is done. 0 is always
// done.
using StokerTicket = uint64_t;

enum StokerCopyKind : int32_t {
  stoker_host_to_device,
  stoker_device_to_host,
  stoker_device_to_device,
  stoker_host_to_idle_device  // no running work uses the memory, so the copy need not wait
};

// Consecutive steps; the input pointers advance by `strides` bytes from step to step. Strides may
// be null if no input moves.
struct StokerRun {
  void* const* inputs;
  const int64_t* strides;
  int64_t steps;
  StokerTicket after;  // the steps begin when this is done
};

struct StokerRows {
  const void* table;  // address on the device
  uint64_t row_bytes;
  const int64_t* indices;
  int64_t count;
};

// Lets a program allocate memory of its own, such as slots for inputs that move. The memory is
// booked on the device's account and counts against its limit. The engine implements it with
// `allocate`, so a program must not hold a lock that `allocate` needs. Valid until release_program
// returns.
struct StokerAllocator {
  void* context;
  // Null: out of memory. The call that requested it fails, and the engine reports the reason.
  void* (*take)(void* context, uint64_t bytes, const char* what);
  void (*give)(void* context, void* memory);
};

// When a call of a program ran, on the device's clock.
struct StokerSpan {
  const char* name;  // of the call; valid as long as the plugin is loaded
  int32_t node;
  int64_t begin, end;  // nanoseconds
};

// The table uses designated initializers; omitted entries are null. Only the last three groups are
// optional, each as a whole.
struct StokerBackend {
  uint32_t interface_version;
  const char* name;
  const char* kind;              // of all its devices: "CPU", "GPU"
  const char* (*unavailable)();  // one sentence: why there is no device; null if there is one
  int32_t (*device_count)();
  int32_t (*describe)(int32_t device, StokerDevice* out);  // may start the device
  const char* (*memory_holders)(int32_t device);  // other processes that use its memory, else ""
  // versions of the libraries it uses, or why one is missing; may be slow
  const char* (*libraries)();

  // Switches for everything planned afterwards: "tf32", "deterministic". Unknown ones are ignored.
  void (*configure)(const char* key, int64_t value);

  // null: last_error() names the processes that hold memory
  void* (*allocate)(int32_t device, uint64_t bytes);
  void (*deallocate)(int32_t device, void* memory);
  int32_t (*copy)(int32_t device, void* to, const void* from, uint64_t bytes, StokerCopyKind kind);

  int32_t (*plan)(int32_t device, const StokerNode* node,
                  StokerPlan* out);  // on failure last_error() lists every refusal
  void (*release_kernel)(void* kernel);

  void* (*create_program)(int32_t device, const StokerCall* calls, int32_t count,
                          const StokerAllocator* allocator);
  // Asynchronous, but at most two runs of a program are in flight: it waits for the run before.
  int32_t (*run_program)(void* program, const StokerRun* run);
  void (*release_program)(void* program);

  int32_t (*synchronize)(int32_t device);  // waits; fails with any error since the last call

  const char* (*last_error)();  // of this thread

  // Asynchronous copies and pinned memory. Null: the device uses host memory directly.
  void* (*allocate_pinned)(int32_t device, uint64_t bytes);  // page-locked host memory
  void (*deallocate_pinned)(int32_t device, void* memory);
  // From or to pinned memory. Starts when `after` is done and returns at once. Neither side may
  // change until the ticket is done.
  int32_t (*copy_async)(int32_t device, void* to, const void* from, uint64_t bytes,
                        StokerCopyKind kind, StokerTicket after, StokerTicket* ticket);
  int32_t (*mark)(int32_t device, StokerTicket* ticket);  // done when all runs so far are done
  int32_t (*wait)(int32_t device, StokerTicket ticket);   // the host waits until it is done
  int32_t (*is_done)(int32_t device, StokerTicket ticket, int32_t* done);
  // Time between the completion of two tickets on the device's clock; waits for both.
  int32_t (*elapsed)(int32_t device, StokerTicket from, StokerTicket to, int64_t* nanoseconds);

  // Zero-copy access: the device reads rows of the program's own memory. Null: not supported.
  // Page-locks the memory and sets `on_device` to the device's address of it. The same memory may
  // be pinned several times.
  int32_t (*pin)(int32_t device, const void* memory, uint64_t bytes, const void** on_device);
  void (*unpin)(int32_t device, const void* memory);
  // Row indices[i] of a pinned table becomes row i of `to`, asynchronously like copy_async. The
  // indices are in device memory.
  int32_t (*gather_async)(int32_t device, void* to, const StokerRows* rows, StokerTicket after,
                          StokerTicket* ticket);

  // Profiling: when each call ran. Null: not supported.
  int32_t (*start_profile)(int32_t device);  // discards earlier spans
  int32_t (*stop_profile)(int32_t device);
  // Waits for the calls and takes the oldest spans. Returns their number, or -1 on failure.
  int64_t (*read_profile)(int32_t device, StokerSpan* out, int64_t most);
  // Calls since start_profile that were not kept, for lack of room.
  int64_t (*dropped_calls)(int32_t device);
};

using StokerBackendEntry = const StokerBackend* (*)(uint32_t host_interface);

}  // extern "C"
