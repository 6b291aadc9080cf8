#pragma once
#include "control.h"
#include "libraries/library.h"

namespace stoker::cuda {

// Sets the emulated driver's control until the end of the test.
class WithControl {
 public:
  WithControl() : control_(find()) {}
  ~WithControl() { control_ = {}; }
  WithControl(const WithControl&) = delete;
  WithControl& operator=(const WithControl&) = delete;
  StokerEmulatorControl* operator->() const { return &control_; }

 private:
  static StokerEmulatorControl& find() {
    const Library library("the emulated driver", {"libcuda.so.1"});
    using Get = StokerEmulatorControl* (*)();
    return *reinterpret_cast<Get>(library.symbol("stoker_emulator_control"))();
  }
  StokerEmulatorControl& control_;
};

}  // namespace stoker::cuda
