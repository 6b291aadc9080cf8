#include "memory/host_rows.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "compiler.h"
#include "core/round_up.h"
#include "kernel_source.h"
#include "memory/copies.h"

namespace stoker::cuda {
namespace {

constexpr unsigned int threads = 128, most_blocks = 16;
constexpr uint64_t long_row = 256;

struct Functions {
  KernelSource source{"program/host_rows.cuh"};
  std::shared_ptr<Function> of_long = make_function(source, "long_rows"),
                            of_short = make_function(source, "short_rows");
};
const Functions& functions() {
  static const Functions all;
  return all;
}

bool is_multiple(const StokerRows& rows, const void* to, uint64_t unit) {
  return (rows.row_bytes | reinterpret_cast<uint64_t>(rows.table) |
          reinterpret_cast<uint64_t>(to)) %
             unit ==
         0;
}
int unit_of(const StokerRows& rows, const void* to) {
  for (const int unit : {8, 4})
    if (is_multiple(rows, to, static_cast<uint64_t>(unit))) return unit;
  return 1;
}

void launch(const Gpu& on, Function& function, int64_t work, void** arguments) {
  CUlaunchConfig config{};
  config.gridDimX =
      static_cast<unsigned int>(std::clamp<int64_t>(ceil_div(work, threads), 1, most_blocks));
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = threads;
  config.hStream = on.copy_stream;
  const CUfunction ready = function.on(on);
  // A multiprocessor has one partition of its memory at a time: kernels of a step that need much
  // shared memory would wait for this one if it asked for a large L1 cache.
  check(driver().cuFuncSetAttribute(ready, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100),
        "dividing a multiprocessor's memory");
  check(driver().cuLaunchKernelEx(&config, ready, arguments, nullptr),
        "launching a gather of host rows");
}

// Page-locked ranges by start address.
struct Pinned {
  uint64_t bytes;
  int64_t users;
};
struct AllPinned {
  std::mutex mutex;
  std::map<const char*, Pinned> ranges;

  std::map<const char*, Pinned>::iterator around(const char* memory, uint64_t bytes) {
    const auto behind = ranges.upper_bound(memory);
    if (behind == ranges.begin()) return ranges.end();
    const auto found = std::prev(behind);
    return memory + bytes <= found->first + found->second.bytes ? found : ranges.end();
  }
};
AllPinned& all_pinned() {
  static auto* const all = new AllPinned;  // leaked: arrays may outlive main
  return *all;
}

void add_use(const char* memory, uint64_t bytes) {
  AllPinned& all = all_pinned();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.around(memory, bytes); found != all.ranges.end()) {
    ++found->second.users;
    return;
  }
  check(driver().cuMemHostRegister(const_cast<char*>(memory), bytes,
                                   CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
        "page-locking memory of the program");
  all.ranges[memory] = {bytes, 1};
}

}  // namespace

const void* pin_host(const Gpu& on, const void* memory, uint64_t bytes) {
  functions().of_long->on(on);  // already compiled
  functions().of_short->on(on);
  add_use(static_cast<const char*>(memory), bytes);
  CUdeviceptr on_device = 0;
  check(driver().cuMemHostGetDevicePointer(&on_device, const_cast<void*>(memory), 0),
        "querying the device address of page-locked memory");
  return reinterpret_cast<const void*>(on_device);
}

void unpin_host(const void* memory) {
  AllPinned& all = all_pinned();
  const std::lock_guard lock(all.mutex);
  const auto found = all.around(static_cast<const char*>(memory), 1);
  if (found == all.ranges.end() || --found->second.users > 0) return;
  check(driver().cuMemHostUnregister(const_cast<char*>(found->first)),
        "releasing memory of the program");
  all.ranges.erase(found);
}

StokerTicket gather_beside(Gpu& on, void* to, const StokerRows& rows, StokerTicket after) {
  begin_beside(on, to, nullptr, after);
  StokerRows given = rows;
  int unit = unit_of(rows, to);
  void* arguments[] = {&given.table, &given.indices, &to, &given.count, &given.row_bytes, &unit};
  if (rows.row_bytes >= long_row && is_multiple(rows, to, 16))
    launch(on, *functions().of_long, rows.count * 32, arguments);
  else
    launch(on, *functions().of_short, rows.count * static_cast<int64_t>(rows.row_bytes) / unit,
           arguments);
  return on.tickets->record(on.copy_stream);
}

}  // namespace stoker::cuda
