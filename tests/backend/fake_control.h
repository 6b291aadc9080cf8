#pragma once
#include <cstdint>

// Settings and counters of the fake backend for tests, by dlsym("stoker_fake_control"). Initialised
// from the environment: STOKER_FAKE_DEVICES, STOKER_FAKE_MEMORY, STOKER_FAKE_REFUSE,
// STOKER_FAKE_FAIL_AT.
struct StokerFakeControl {
  int32_t devices;
  uint64_t memory;        // bytes of each device
  char refuse[256];       // refused ops, between commas: ",softmax,gather,"
  int64_t fail_at_step;   // the n-th step of all programs fails; 0: none
  int32_t copies_inputs;  // what StokerDevice says of it
  // The duration of a step, by which the tickets' time stamps differ; run_program returns at once.
  // Waiting (synchronize, or a copy to the host) advances the time by this function.
  int64_t step_nanoseconds;
  void (*pass)(int64_t nanoseconds);
  int64_t under_way;  // nanoseconds of steps for which nothing has waited yet
  // Copies by copy_async are made when their ticket is waited for. Counters:
  int64_t steps, copies_to_device, copies_to_host, copies_on_device, allocations, descriptions;
  int64_t runs, waits;  // calls of run_program and synchronize
  int64_t async_copies, tickets_waited_for;
};
