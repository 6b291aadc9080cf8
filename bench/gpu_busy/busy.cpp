// Measures the fraction of the time that a GPU is busy while a program trains: an injection library
// for the CUDA driver.
//   CUDA_INJECTION64_PATH=build/bench/libgpu_busy.so stoker bench --device cuda --case cnn28
//   …
// CUPTI reports begin and end of every kernel, including those in graphs. At exit it prints a line
// of JSON to stderr: the fraction of the longest interval without a pause above 2 ms in which at
// least one kernel ran.
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Interval {
  uint64_t begin, end;
};

constexpr uint64_t pause = 2'000'000;  // nanoseconds
constexpr double trimmed = 0.1;        // of an interval, at both ends: warm-up and end
constexpr size_t buffer_bytes = size_t{8} << 20;

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityFlushAll) flush;
  decltype(&cuptiActivityGetNextRecord) next;
} cupti;

std::mutex guard;
std::vector<Interval> intervals;

struct Total {
  uint64_t count = 0, nanoseconds = 0;
};
std::map<std::string, Total> totals;  // by kernel name and blocks

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = buffer_bytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard lock(guard);
  CUpti_Activity* record = nullptr;
  while (cupti.next(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) {
      const auto* graph = reinterpret_cast<const CUpti_ActivityGraphTrace*>(record);
      intervals.push_back({graph->start, graph->end});
    }
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    // Begin and end have the same offsets in all versions of this record.
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    intervals.push_back({kernel->start, kernel->end});
    Total& total = totals[std::string(kernel->name).substr(0, 90) + " x" +
                          std::to_string(kernel->gridX * kernel->gridY * kernel->gridZ)];
    ++total.count;
    total.nanoseconds += kernel->end - kernel->start;
  }
  std::free(buffer);
}

// The union of the kernels' intervals.
std::vector<Interval> merged() {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> out;
  for (const Interval& i : intervals) {
    if (out.empty() || i.begin > out.back().end)
      out.push_back(i);
    else
      out.back().end = std::max(out.back().end, i.end);
  }
  return out;
}

void print_kernels() {
  std::vector<std::pair<std::string, Total>> sorted(totals.begin(), totals.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.nanoseconds > b.second.nanoseconds;
  });
  for (const auto& [name, total] : sorted)
    std::fprintf(stderr, "%9.2f us x %8llu  %s\n",
                 static_cast<double>(total.nanoseconds) / 1e3 / static_cast<double>(total.count),
                 static_cast<unsigned long long>(total.count), name.c_str());
}

// Pauses between kernels of up to 2 ms, by length: the longer ones are the host's.
void print_pauses(const std::vector<Interval>& work) {
  constexpr uint64_t limits[] = {1'000, 2'000, 5'000, 20'000, 100'000, 500'000, pause};
  Total sums[std::size(limits)];
  for (size_t i = 1; i < work.size(); ++i) {
    const uint64_t length = work[i].begin - work[i - 1].end;
    const auto* limit = std::lower_bound(std::begin(limits), std::end(limits), length);
    if (limit == std::end(limits)) continue;
    Total& sum = sums[limit - std::begin(limits)];
    ++sum.count;
    sum.nanoseconds += length;
  }
  for (size_t i = 0; i < std::size(limits); ++i)
    std::fprintf(stderr, "pauses up to %6.0f us: %8llu, %12.1f us in all\n",
                 static_cast<double>(limits[i]) / 1e3,
                 static_cast<unsigned long long>(sums[i].count),
                 static_cast<double>(sums[i].nanoseconds) / 1e3);
}

void report() {
  cupti.flush(1);
  const std::lock_guard lock(guard);
  const std::vector<Interval> work = merged();
  if (std::getenv("STOKER_GPU_KERNELS")) print_kernels();
  print_pauses(work);
  if (work.empty()) {
    std::fprintf(stderr, "{\"gpu_busy\": null, \"records\": 0}\n");
    return;
  }
  size_t best_first = 0, best_last = 0;
  for (size_t first = 0; first < work.size();) {
    size_t last = first;
    while (last + 1 < work.size() && work[last + 1].begin - work[last].end < pause) ++last;
    if (work[last].end - work[first].begin > work[best_last].end - work[best_first].begin)
      best_first = first, best_last = last;
    first = last + 1;
  }
  const double length = static_cast<double>(work[best_last].end - work[best_first].begin);
  const auto from = work[best_first].begin + static_cast<uint64_t>(trimmed * length),
             to = work[best_last].end - static_cast<uint64_t>(trimmed * length);
  uint64_t busy = 0;
  for (const Interval& i : work)
    if (i.end > from && i.begin < to) busy += std::min(i.end, to) - std::max(i.begin, from);
  std::fprintf(stderr, "{\"gpu_busy\": %.4f, \"seconds\": %.3f, \"records\": %zu}\n",
               static_cast<double>(busy) / static_cast<double>(to - from),
               static_cast<double>(to - from) * 1e-9, intervals.size());
}

void* open_cupti() {
  for (const char* name :
       {"libcupti.so.13", "libcupti.so.12", "libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  return nullptr;
}

}  // namespace

// For programs that query it (bench/account_check): nanoseconds in which a kernel ran since the
// previous call.
extern "C" __attribute__((visibility("default"))) uint64_t gpu_busy_nanoseconds() {
  cupti.flush(1);
  const std::lock_guard lock(guard);
  uint64_t busy = 0;
  for (const Interval& i : merged()) busy += i.end - i.begin;
  intervals.clear();
  return busy;
}

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void* library = open_cupti();
  if (!library) {
    std::fprintf(stderr, "gpu_busy: no libcupti.so was found: %s\n", dlerror());
    return 0;
  }
  const auto load = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!load(cupti.register_callbacks, "cuptiActivityRegisterCallbacks") ||
      !load(cupti.enable, "cuptiActivityEnable") || !load(cupti.flush, "cuptiActivityFlushAll") ||
      !load(cupti.next, "cuptiActivityGetNextRecord"))
    return 0;
  cupti.register_callbacks(give_buffer, take_buffer);
  const bool each_kernel = std::getenv("STOKER_GPU_KERNELS");
  if (cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
      (!each_kernel && cupti.enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) != CUPTI_SUCCESS)) {
    std::fprintf(stderr, "gpu_busy: CUPTI does not trace kernels here\n");
    return 0;
  }
  std::atexit(report);
  return 1;
}
