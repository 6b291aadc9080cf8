#include "device/switches.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "stoker/numerics.h"

namespace stoker {
namespace device {
namespace {

struct Switch {
  const char* key;
  std::atomic<int64_t> value;
};
Switch tf32{"tf32", 1}, deterministic{"deterministic", 0};

std::mutex guard;
std::atomic<uint64_t> version = 0;
std::vector<const StokerBackend*>& configured() {
  static auto& backends = *new std::vector<const StokerBackend*>;
  return backends;
}

void set(Switch& chosen, int64_t value) {
  const std::lock_guard lock(guard);
  if (chosen.value.exchange(value) == value) return;
  for (const StokerBackend* backend : configured()) backend->configure(chosen.key, value);
  ++version;
}

}  // namespace

void configure_by_switches(const StokerBackend& backend) {
  const std::lock_guard lock(guard);
  for (const Switch* s : {&tf32, &deterministic}) backend.configure(s->key, s->value);
  configured().push_back(&backend);
}

uint64_t switches_version() { return version; }

}  // namespace device

void enable_tensor_float_32_execution(bool enabled) { device::set(device::tf32, enabled); }
bool tensor_float_32_execution_enabled() { return device::tf32.value != 0; }
void enable_op_determinism(bool enabled) { device::set(device::deterministic, enabled); }
bool op_determinism_enabled() { return device::deterministic.value != 0; }

}  // namespace stoker
