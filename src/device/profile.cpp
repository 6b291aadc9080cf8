#include "device/profile.h"

#include <fmt/format.h>

#include <array>

#include "stoker/error.h"

namespace stoker::device {
namespace {

const StokerBackend& profiling(const Device& device) {
  const StokerBackend& table = device.table();
  if (!table.start_profile)
    throw Unsupported(fmt::format("{} cannot be profiled: backend \"{}\" has no profiler.",
                                  device.name(), table.name));
  return table;
}

}  // namespace

void start_profile(const Device& device) {
  check(device, profiling(device).start_profile(device.index), "starting a profile");
}

void stop_profile(const Device& device) {
  check(device, profiling(device).stop_profile(device.index), "stopping a profile");
}

int64_t dropped_calls(const Device& device) {
  return profiling(device).dropped_calls(device.index);
}

std::vector<Span> read_profile(const Device& device) {
  const StokerBackend& table = profiling(device);
  std::vector<Span> spans;
  std::array<StokerSpan, 256> some;
  while (true) {
    const int64_t count = table.read_profile(device.index, some.data(), some.size());
    check(device, count < 0 ? 1 : 0, "reading a profile");
    if (count == 0) return spans;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
      spans.push_back({some[i].name, some[i].node, some[i].begin, some[i].end});
  }
}

}  // namespace stoker::device
