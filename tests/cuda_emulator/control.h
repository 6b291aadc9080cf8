#pragma once
#include <cstdint>

// What a test sets and reads of the emulated driver, by its function stoker_emulator_control.
struct StokerEmulatorControl {
  bool events_pending;  // cuEventQuery says of every event that it is not done
  void (*on_wait)();    // called by cuEventSynchronize; null: nothing
};
