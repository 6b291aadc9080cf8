#pragma once
#include <cstdint>

// Settings and counters of the emulated driver for tests, by its function stoker_emulator_control.
struct StokerEmulatorControl {
  bool events_pending;  // cuEventQuery reports every event as not done
  void (*on_wait)();    // called by cuEventSynchronize; null: nothing
};
