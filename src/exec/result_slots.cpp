#include "exec/result_slots.h"

namespace stoker::exec {
namespace {

constexpr const char* what = "a tensor";

}  // namespace

void* ResultSlots::begin_run(size_t i) {
  Slot& slot = slots_[i];
  slot.writes_given = !slot.given.defined() || !slot.given.is_shared();
  device::Buffer& written = slot.writes_given ? slot.given : slot.kept;
  if (!written.defined()) written = device::Buffer(slot.device, slot.bytes, what);
  return written.data();
}

device::Buffer ResultSlots::end_run(size_t i) {
  const Slot& slot = slots_[i];
  if (slot.writes_given) return slot.given;
  device::Buffer copy(slot.device, slot.bytes, what);
  copy.fill_from(slot.kept);
  return copy;
}

}  // namespace stoker::exec
