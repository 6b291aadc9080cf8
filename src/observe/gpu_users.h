#pragma once
#include <optional>
#include <string>
#include <vector>

#include "observe/nvml.h"
#include "observe/sample.h"

namespace stoker::observe {

// The GPU of NVML's list that CUDA calls `index`: the one where the process `own` is listed, if
// that is one only, else the entry of CUDA_VISIBLE_DEVICES (`visible`; null: not set), which is a
// number or the beginning of a UUID. Null: unknown.
const GpuSample* gpu_of(const std::vector<GpuSample>& samples, const std::vector<Nvml::Facts>& gpus,
                        int64_t own, const char* visible, int64_t index);

// Other processes that compute on a GPU, and their share of its time; absent: unknown.
struct GpuUsers {
  double others = 0;
  std::optional<double> share;
};
// `open`: other processes with an open GPU. They count only if NVML does not know processes by
// their PIDs, as in a container, and then with equal shares: one that only holds memory looks the
// same.
GpuUsers users_of(const GpuSample& gpu, int64_t own, const std::vector<GpuProcess>& open);

// Does this one of Proc::gpu_users have that GPU open? Yes, if unknown.
bool has_open(const GpuProcess& process, const GpuSample& gpu);

}  // namespace stoker::observe
