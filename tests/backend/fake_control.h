#pragma once
#include <cstdint>

// What a test sets and reads of the fake backend, by dlsym("stoker_fake_control"). At load the
// environment sets it: STOKER_FAKE_DEVICES, STOKER_FAKE_MEMORY, STOKER_FAKE_REFUSE,
// STOKER_FAKE_FAIL_AT.
struct StokerFakeControl {
  int32_t devices;
  uint64_t memory;        // bytes of each device
  char refuse[256];       // ops, each between commas: ",softmax,gather,"
  int64_t fail_at_step;   // the n-th step of all programs fails; 0: none
  int32_t copies_inputs;  // what StokerDevice says of it
  // Each step takes so long, by which the time stamps of tickets differ, and run_program returns at
  // once. Who waits (synchronize, or a copy to the host) makes the time pass by this function.
  int64_t step_nanoseconds;
  void (*pass)(int64_t nanoseconds);
  // Copies of copy_async are made when somebody waits for their ticket, not before.
  // Counted:
  int64_t steps, copies_to_device, copies_to_host, allocations, descriptions;
  int64_t runs, waits;  // calls of run_program and synchronize
  int64_t async_copies, tickets_waited_for;
};
