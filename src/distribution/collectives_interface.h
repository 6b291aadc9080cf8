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

inline constexpr uint32_t stoker_collectives_interface = 1;

struct StokerCollectives {
  uint32_t interface_version;
  const char* name;
  // Starts this process's part. Fails with a sentence for last_error().
  int32_t (*join)(double timeout_seconds);
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
};

using StokerCollectivesEntry = const StokerCollectives* (*)(uint32_t host_interface);

}  // extern "C"
