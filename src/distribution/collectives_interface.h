#pragma once
#include <cstdint>

// What the processes of one training know of each other: plain C, as the table of a backend is
// (device/backend_interface.h). A plugin libstoker_<name>.so exports stoker_collectives().
//
// The calls are collective: every rank makes the same ones in the same order, from one thread at a
// time. They return when this rank's result is there. None of them fails: where a rank does not
// come within the time limit, or the library reports an error, all ranks are ended with a message
// that names the rank, its host and its step.
extern "C" {

inline constexpr uint32_t stoker_collectives_interface = 2;

// What a launcher said of this process, and what was set.
struct StokerLaunch {
  int32_t rank, size;
  int32_t device;  // of the backend in whose plugin the collectives are, if they are in one
  double timeout_seconds;
  const char* id_file;  // by which ranks find each other that no MPI has started; else null
};

// How long this rank was inside all_reduce since it joined, in nanoseconds.
struct StokerCallTimes {
  int64_t inside;
  int64_t waited;  // of these, until the last rank had come, as far as ranks have compared times
  // For each rank, how long all others together waited for it, when they last settled.
  const int64_t* waited_for;
};

struct StokerCollectives {
  uint32_t interface_version;
  const char* name;
  // Starts this process's part; MPI knows rank and size by itself. Fails with a sentence for
  // last_error().
  int32_t (*join)(const StokerLaunch* launch);
  void (*leave)();  // at the end of the program; waits for the other ranks
  int32_t (*rank)();
  int32_t (*size)();
  const char* (*description)();  // the library and its version
  const char* (*last_error)();

  // The sum over all ranks, in the same order in every run, with the same bits on all ranks. `to`
  // may be `from`. dtype: the numbers of stoker::DType; integers and floating-point numbers.
  void (*all_reduce)(const void* from, void* to, int64_t count, int32_t dtype);
  void (*all_gather)(const void* from, void* to, uint64_t bytes);  // `bytes` of each, by rank
  void (*broadcast)(void* data, uint64_t bytes, int32_t root);
  void (*barrier)();
  // Ends all ranks. Does not return.
  void (*abort)(int32_t status, const char* message);
  void (*set_step)(int64_t step);  // where this rank stands, for messages
  // settle: all ranks compare their times first, a collective call; else what is known so far.
  // Null: nobody measures them.
  StokerCallTimes (*call_times)(int32_t settle);

  // Of collectives in a backend's plugin: from then on its kernels of the op all_reduce add on the
  // devices themselves, inside programs. Called once on every rank with its device of that backend;
  // the ranks talk by `ranks`, which may be other collectives. Succeeds on all of them or on none,
  // with a sentence for last_error(). `by`: the library and its version. Null: they cannot.
  int32_t (*join_devices)(int32_t device, const StokerCollectives* ranks, const char** by);
};

using StokerCollectivesEntry = const StokerCollectives* (*)(uint32_t host_interface);

}  // extern "C"
