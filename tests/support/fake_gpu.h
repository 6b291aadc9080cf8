#pragma once
#include <dlfcn.h>

#include "backend/fake_control.h"
#include "support/fresh_devices.h"
#include "test_places.h"

namespace stoker::testing {

inline std::string backend_folder(const std::string& name) {
  return std::string(STOKER_BINARY_DIR) + "/test_backends/" + name;
}

// Two fake GPUs: see tests/backend. The first is the default device. They are called "fake:0" and
// "fake:1" here, as "/gpu:0" may be a real one.
class FakeGpu : public FreshDevices {
 protected:
  FakeGpu() : control(find_control()) {
    before_ = control;
    control.steps = control.under_way = 0;
    control.copies_to_device = control.copies_to_host = control.copies_on_device = 0;
    control.runs = control.waits = control.async_copies = control.tickets_waited_for = 0;
  }
  ~FakeGpu() override { control = before_; }
  void refuse(const std::string& ops) {
    std::snprintf(control.refuse, sizeof(control.refuse), ",%s,", ops.c_str());
  }
  // Regardless of what earlier tests left allocated.
  void leave_free(uint64_t bytes) {
    StokerDevice described{};
    device::Registry::global().find_physical(gpu(0)).backend->table->describe(0, &described);
    control.memory -= described.memory_free - bytes;
  }
  static PhysicalDevice gpu(int32_t i = 0) {
    for (const auto& physical : device::Registry::global().physical())
      if (std::string(physical.backend->table->name) == "fake" && physical.index == i)
        return physical.handle();
    throw std::runtime_error("no such fake GPU");
  }

 private:
  static StokerFakeControl& find_control() {
    void* library = dlopen((backend_folder("fake") + "/libstoker_fake.so").c_str(), RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    return *reinterpret_cast<StokerFakeControl* (*)()>(dlsym(library, "stoker_fake_control"))();
  }
  Environment path_{"STOKER_BACKEND_PATH", backend_folder("fake").c_str()};
  Environment default_{"STOKER_DEVICE", "fake:0"};
  StokerFakeControl before_{};

 protected:
  StokerFakeControl& control;
};

}  // namespace stoker::testing
