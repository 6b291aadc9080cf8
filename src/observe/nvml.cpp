#include "observe/nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace stoker::observe {
namespace {

using namespace nvml;

// The value of an optional function, or nothing.
template <class T>
std::optional<T> ask(Return (*function)(Device, T*), Device device) {
  T value{};
  return function && function(device, &value) == 0 ? std::optional(value) : std::nullopt;
}
std::optional<unsigned int> ask(Return (*function)(Device, unsigned int, unsigned int*),
                                Device device, unsigned int which) {
  unsigned int value = 0;
  return function && function(device, which, &value) == 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> scaled(std::optional<unsigned int> value, double by) {
  return value ? std::optional(*value * by) : std::nullopt;
}

template <size_t N>
std::string text_of(Return (*function)(Device, char*, unsigned int), Device device) {
  std::array<char, N> text{};
  return function && function(device, text.data(), N) == 0 ? text.data() : "";
}

std::vector<std::string> names_of(unsigned long long reasons) {
  std::vector<std::string> names;
  const auto add = [&](unsigned long long bits, const char* name) {
    if (reasons & bits) names.push_back(name);
  };
  add(software_thermal | hardware_thermal, "thermal");
  add(hardware_power_brake, "power brake");
  add(software_power_cap, "power limit");
  if (names.empty()) add(hardware_slowdown, "hardware slowdown");
  return names;
}

// Bytes/s per lane, without encoding overhead.
std::optional<double> link_bytes(std::optional<unsigned int> generation,
                                 std::optional<unsigned int> width) {
  constexpr std::array<double, 7> lane = {0, 0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9};
  if (!generation || !width || *generation >= lane.size()) return std::nullopt;
  return lane[*generation] * *width;
}

}  // namespace

Nvml::Nvml() : library_({"libnvidia-ml.so.1"}) {
  load();
  failure_ = start();
}

void Nvml::load() {
  const auto get = [this](auto& function, const char* name) { library_.load(function, name); };
  get(f_.init, "nvmlInit_v2");
  get(f_.error_text, "nvmlErrorString");
  get(f_.driver_version, "nvmlSystemGetDriverVersion");
  get(f_.cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
  get(f_.count, "nvmlDeviceGetCount_v2");
  get(f_.by_index, "nvmlDeviceGetHandleByIndex_v2");
  get(f_.name, "nvmlDeviceGetName");
  get(f_.uuid, "nvmlDeviceGetUUID");
  get(f_.minor, "nvmlDeviceGetMinorNumber");
  get(f_.memory, "nvmlDeviceGetMemoryInfo");
  get(f_.utilization, "nvmlDeviceGetUtilizationRates");
  get(f_.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  get(f_.process_utilization, "nvmlDeviceGetProcessUtilization");
  get(f_.clock, "nvmlDeviceGetClockInfo");
  get(f_.max_clock, "nvmlDeviceGetMaxClockInfo");
  get(f_.slowdowns, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!f_.slowdowns) get(f_.slowdowns, "nvmlDeviceGetCurrentClocksThrottleReasons");
  get(f_.power, "nvmlDeviceGetPowerUsage");
  get(f_.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  get(f_.temperature, "nvmlDeviceGetTemperature");
  get(f_.pcie, "nvmlDeviceGetPcieThroughput");
  get(f_.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  get(f_.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  get(f_.max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  get(f_.max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  get(f_.compute_mode, "nvmlDeviceGetComputeMode");
  get(f_.persistence_mode, "nvmlDeviceGetPersistenceMode");
  get(f_.gpm_support, "nvmlGpmQueryDeviceSupport");
  get(f_.gpm_alloc, "nvmlGpmSampleAlloc");
  get(f_.gpm_get, "nvmlGpmSampleGet");
  get(f_.gpm_metrics, "nvmlGpmMetricsGet");
}

std::string Nvml::start() {
  if (!library_) {
    const std::string& why = library_.failure();
    const bool absent = why.find("No such file") != why.npos || why.find("not found") != why.npos;
    return absent ? "there is no NVIDIA driver: libnvidia-ml.so.1 was not found"
                  : "NVML, of the NVIDIA driver, does not open: " + why;
  }
  if (!f_.init || !f_.count || !f_.by_index || !f_.memory)
    return fmt::format("{} is too old to tell what the GPUs do", library_.file());
  const Return status = f_.init();
  if (status != 0)
    return fmt::format("NVML does not start: {} (error {})",
                       f_.error_text ? f_.error_text(status) : "unknown", status);
  unsigned int count = 0;
  f_.count(&count);
  for (unsigned int i = 0; i < count; ++i) add(i);
  return gpus_.empty() ? "the NVIDIA driver has no GPU" : "";
}

void Nvml::add(unsigned int index) {
  Gpu gpu;
  if (f_.by_index(index, &gpu.device) != 0) return;  // another user's, or fallen off the bus
  const Device d = gpu.device;
  const auto minor = ask(f_.minor, d);
  gpu.facts = {.index = index,
               .minor = minor ? static_cast<int64_t>(*minor) : -1,
               .name = text_of<96>(f_.name, d),
               .uuid = text_of<96>(f_.uuid, d),
               .pcie_generation = ask(f_.pcie_generation, d),
               .pcie_width = ask(f_.pcie_width, d),
               .max_pcie_generation = ask(f_.max_pcie_generation, d),
               .max_pcie_width = ask(f_.max_pcie_width, d),
               .compute_mode = ask(f_.compute_mode, d),
               .persistence_mode = ask(f_.persistence_mode, d)};
  GpmSupport support;
  gpu.has_gpm = f_.gpm_support && f_.gpm_alloc && f_.gpm_get && f_.gpm_metrics &&
                f_.gpm_support(d, &support) == 0 && support.supported &&
                f_.gpm_alloc(&gpu.gpm[0]) == 0 && f_.gpm_alloc(&gpu.gpm[1]) == 0;
  gpus_.push_back(gpu);
}

std::vector<GpuSample> Nvml::sample() {
  std::vector<GpuSample> samples;
  for (Gpu& gpu : gpus_) samples.push_back(sample(gpu));
  return samples;
}

GpuSample Nvml::sample(Gpu& gpu) {
  GpuSample sample{.index = gpu.facts.index, .minor = gpu.facts.minor, .name = gpu.facts.name};
  if (const auto memory = ask(f_.memory, gpu.device)) {
    sample.memory_used = static_cast<double>(memory->used);
    sample.memory_total = static_cast<double>(memory->total);
  }
  if (const auto share = ask(f_.utilization, gpu.device)) sample.busy = share->gpu / 100.0;
  sample_clocks(gpu, sample);
  sample_processes(gpu, sample);
  sample_gpm(gpu, sample);
  sample_pcie(gpu, sample);
  return sample;
}

void Nvml::sample_clocks(const Gpu& gpu, GpuSample& sample) const {
  const Device d = gpu.device;
  sample.sm_clock = scaled(ask(f_.clock, d, sm_clock), 1);
  sample.max_sm_clock = scaled(ask(f_.max_clock, d, sm_clock), 1);
  sample.power = scaled(ask(f_.power, d), 1e-3);
  sample.power_limit = scaled(ask(f_.power_limit, d), 1e-3);
  sample.temperature = scaled(ask(f_.temperature, d, core_temperature), 1);
  if (const auto reasons = ask(f_.slowdowns, d)) sample.slowdowns = names_of(*reasons);
}

// GPM's figures cover the whole time between two samples, the plain ones 20 ms.
void Nvml::sample_pcie(const Gpu& gpu, GpuSample& sample) const {
  sample.pcie_limit = link_bytes(gpu.facts.max_pcie_generation, gpu.facts.pcie_width);
  if (gpu.has_gpm && sample.pcie_in) return;
  sample.pcie_in = scaled(ask(f_.pcie, gpu.device, pcie_in), 1e3);
  sample.pcie_out = scaled(ask(f_.pcie, gpu.device, pcie_out), 1e3);
}

void Nvml::sample_processes(Gpu& gpu, GpuSample& sample) const {
  std::array<ProcessInfo, 256> found{};
  auto count = static_cast<unsigned int>(found.size());
  if (f_.processes && f_.processes(gpu.device, &count, found.data()) == 0)
    for (unsigned int i = 0; i < count; ++i) {
      const auto bytes = static_cast<double>(found[i].used);  // all bits set: unknown
      sample.processes.push_back(
          {.pid = found[i].pid, .memory_bytes = bytes <= sample.memory_total ? bytes : 0});
    }
  std::array<ProcessUtilization, 256> shares{};
  count = static_cast<unsigned int>(shares.size());
  if (!f_.process_utilization ||
      f_.process_utilization(gpu.device, shares.data(), &count, gpu.seen) != 0)
    return;
  for (unsigned int i = 0; i < std::min<size_t>(count, shares.size()); ++i) {
    gpu.seen = std::max(gpu.seen, shares[i].time_stamp);
    for (GpuProcess& process : sample.processes)
      if (process.pid == shares[i].pid) process.sm_share = shares[i].sm / 100.0;
  }
}

void Nvml::sample_gpm(Gpu& gpu, GpuSample& sample) const {
  if (!gpu.has_gpm || f_.gpm_get(gpu.device, gpu.gpm[gpu.gpm_taken % 2]) != 0) return;
  ++gpu.gpm_taken;
  if (gpu.gpm_taken < 2) return;
  const auto metrics = std::make_unique<GpmMetrics>();
  const std::array ids = {gpm_sm_active,   gpm_sm_occupancy, gpm_tensor_active,
                          gpm_dram_active, gpm_pcie_in,      gpm_pcie_out};
  metrics->count = ids.size();
  metrics->from = gpu.gpm[gpu.gpm_taken % 2];
  metrics->to = gpu.gpm[(gpu.gpm_taken + 1) % 2];
  for (size_t i = 0; i < ids.size(); ++i) metrics->metrics[i].id = ids[i];
  if (f_.gpm_metrics(metrics.get()) != 0) return;
  const auto value = [&](size_t i, double by) {
    const GpmMetric& metric = metrics->metrics[i];
    return metric.status == 0 ? std::optional(metric.value * by) : std::nullopt;
  };
  sample.sm_active = value(0, 0.01);
  sample.sm_occupancy = value(1, 0.01);
  sample.tensor_active = value(2, 0.01);
  sample.dram_active = value(3, 0.01);
  sample.pcie_in = value(4, 1024 * 1024);
  sample.pcie_out = value(5, 1024 * 1024);
}

std::vector<Nvml::Facts> Nvml::facts() const {
  std::vector<Facts> facts;
  for (const Gpu& gpu : gpus_) facts.push_back(gpu.facts);
  return facts;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  return f_.driver_version && f_.driver_version(text.data(), text.size()) == 0 ? text.data() : "";
}

}  // namespace stoker::observe
