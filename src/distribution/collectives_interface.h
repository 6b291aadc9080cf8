#pragma once
#include <cstdint>

// The collectives of the processes of one training: a plain C interface, like that of backends
// (device/backend_interface.h). A plugin libstoker_<name>.so exports stoker_collectives().
//
// The calls are collective: every rank makes the same calls in the same order, from one thread at a
// time. They return when this rank's result is complete. None of them returns an error: if a rank
// does not arrive within the time limit, or the library reports an error, all ranks are terminated
// with a message that names the rank, its host and its step.
extern "C" {

inline constexpr uint32_t stoker_collectives_interface = 4;

// Information from the launcher and the settings.
struct StokerLaunch {
  int32_t rank, size;
  int32_t device;  // of the backend in whose plugin the collectives are, if any
  double timeout_seconds;
  // How ranks that were started without MPI find each other; else both are null.
  const char* id_file;
  const char* address;  // "host:port", at which rank 0 listens
};

// How long this rank was inside all_reduce since it joined, in nanoseconds.
struct StokerCallTimes {
  int64_t inside;
  int64_t
      waited;  // of it, until the last rank arrived; as of the ranks' latest comparison of times
  // For each rank, how long all others together waited for it, at the last settle.
  const int64_t* waited_for;
};

struct StokerCollectives {
  uint32_t interface_version;
  const char* name;
  // Joins this process to the group; MPI knows rank and size itself. Fails with a sentence for
  // last_error().
  int32_t (*join)(const StokerLaunch* launch);
  void (*leave)();  // at the end of the program; waits for the other ranks
  int32_t (*rank)();
  int32_t (*size)();
  const char* (*description)();  // the library and its version
  const char* (*last_error)();

  // The sum over all ranks, with the same order of additions in every run, and the same bits on all
  // ranks. `to` may be `from`. dtype: a value of stoker::DType, integer or floating-point.
  void (*all_reduce)(const void* from, void* to, int64_t count, int32_t dtype);
  // concatenates `bytes` of each rank
  void (*all_gather)(const void* from, void* to, uint64_t bytes);
  void (*broadcast)(void* data, uint64_t bytes, int32_t root);
  void (*barrier)();
  // Terminates all ranks. Does not return.
  void (*abort)(int32_t status, const char* message);
  void (*set_step)(int64_t step);  // this rank's position, for messages
  // settle: all ranks first compare their times, a collective call; otherwise returns what is known
  // so far. Null: not measured.
  StokerCallTimes (*call_times)(int32_t settle);

  // For collectives in a backend's plugin: afterwards the backend's kernels of the op all_reduce
  // reduce on the devices themselves, inside programs. Called once on every rank with its device of
  // that backend; `ranks`, which may be other collectives, exchanges messages, and terminates all
  // ranks if one of them waits for its device for longer than the time limit. Succeeds on all ranks
  // or on none, with a message in last_error(). `by`: the library and its version. Null: not
  // supported.
  int32_t (*join_devices)(int32_t device, double timeout_seconds, const StokerCollectives* ranks,
                          const char** by);
};

using StokerCollectivesEntry = const StokerCollectives* (*)(uint32_t host_interface);

}  // extern "C"
