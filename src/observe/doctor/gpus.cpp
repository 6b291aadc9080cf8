#include <fmt/format.h>

#include <algorithm>

#include "observe/doctor/checks.h"
#include "observe/proc.h"
#include "stoker/human_bytes.h"

// Each GPU: other users, clock, modes and link.
namespace stoker::observe {
namespace {

void check_users(Visit& visit, const GpuSample& gpu) {
  for (const GpuProcess& process : gpu.processes) {
    const std::string name = Proc(visit.args.root).name(process.pid);
    visit.warn(fmt::format("GPU {} users", gpu.index),
               fmt::format("process {} ({}) holds {} of its memory.", process.pid,
                           name.empty() ? "not visible from here" : name,
                           human_bytes(static_cast<int64_t>(process.memory_bytes))),
               fmt::format("kill {}  (if nobody needs it; stoker why {} says what it does)",
                           process.pid, process.pid));
  }
  if (gpu.processes.empty() && gpu.memory_used > 0.1 * gpu.memory_total)
    visit.warn(fmt::format("GPU {} users", gpu.index),
               fmt::format("{} of its memory are in use by processes that are not visible here.",
                           human_bytes(static_cast<int64_t>(gpu.memory_used))),
               "nvidia-smi  (outside of this container, or as root)");
}

// "1980 of 1980 MHz, 100 of 700 W, 40 °C": what NVML tells of it, which under MIG is little.
std::string clock_text(const GpuSample& gpu) {
  std::string text;
  const auto add = [&](std::optional<double> now, std::optional<double> most, const char* unit) {
    if (!now) return;
    if (!text.empty()) text += ", ";
    text += most ? fmt::format("{:.0f} of {:.0f} {}", *now, *most, unit)
                 : fmt::format("{:.0f} {}", *now, unit);
  };
  add(gpu.sm_clock, gpu.max_sm_clock, "MHz");
  add(gpu.power, gpu.power_limit, "W");
  add(gpu.temperature, std::nullopt, "°C");
  return text.empty() ? "the driver does not tell" : text;
}

void check_clock(Visit& visit, const GpuSample& gpu) {
  const std::string name = fmt::format("GPU {} clock", gpu.index), at = clock_text(gpu);
  const auto has = [&](const char* reason) {
    return std::ranges::find(gpu.slowdowns, reason) != gpu.slowdowns.end();
  };
  if (has("thermal"))
    visit.wrong(name, fmt::format("slowed down by heat: {}.", at),
                "nvidia-smi -q -d TEMPERATURE,PERFORMANCE  (clean the fans, check the air flow)");
  else if (has("power brake") || has("hardware slowdown"))
    visit.wrong(name, fmt::format("slowed down by its power supply: {}.", at),
                "nvidia-smi -q -d POWER,PERFORMANCE  (check power supply and cables)");
  else if (has("power limit"))
    visit.warn(name, fmt::format("held down by its power limit: {}.", at),
               fmt::format("sudo nvidia-smi -i {} -pl WATTS  (the most: nvidia-smi -q -d POWER)",
                           gpu.index));
  else
    visit.ok(name, at);
}

void check_modes(Visit& visit, const Nvml::Facts& gpu) {
  constexpr unsigned int prohibited = 2, exclusive = 3;
  const std::string mode = fmt::format("GPU {} mode", gpu.index);
  const std::string mend = fmt::format("sudo nvidia-smi -i {} -c DEFAULT", gpu.index);
  if (gpu.compute_mode == prohibited)
    visit.wrong(mode, "its compute mode lets no program compute.", mend);
  if (gpu.compute_mode == exclusive)
    visit.warn(mode, "its compute mode lets one process compute at a time.", mend);
  if (gpu.persistence_mode && *gpu.persistence_mode == 0)
    visit.warn(fmt::format("GPU {} persistence", gpu.index),
               "persistence mode is off: the first program after a pause starts a second or more "
               "later.",
               fmt::format("sudo nvidia-smi -i {} -pm 1", gpu.index));
}

// The link generation drops while a GPU is idle; the width does not.
void check_link(Visit& visit, const Nvml::Facts& gpu) {
  if (!gpu.pcie_width || !gpu.max_pcie_width) return;
  const std::string name = fmt::format("GPU {} PCIe", gpu.index);
  if (*gpu.pcie_width < *gpu.max_pcie_width)
    visit.warn(name,
               fmt::format("{} of {} lanes are connected: copies take {:.0f} times as long.",
                           *gpu.pcie_width, *gpu.max_pcie_width,
                           double(*gpu.max_pcie_width) / *gpu.pcie_width),
               "sudo lspci -vv -d 10de: | grep LnkSta  (another slot, or seat the card again)");
  else
    visit.ok(name,
             fmt::format("{} lanes, generation {} (up to {})", *gpu.pcie_width,
                         gpu.pcie_generation.value_or(0), gpu.max_pcie_generation.value_or(0)));
}

}  // namespace

void check_gpus(Visit& visit) {
  const auto facts = visit.nvml.facts();
  const auto samples = visit.nvml.sample();
  for (size_t i = 0; i < facts.size(); ++i) {
    visit.ok(fmt::format("GPU {}", facts[i].index),
             fmt::format("{}, {}", facts[i].name,
                         human_bytes(static_cast<int64_t>(samples[i].memory_total))));
    check_users(visit, samples[i]);
    check_clock(visit, samples[i]);
    check_modes(visit, facts[i]);
    check_link(visit, facts[i]);
  }
}

void check_bandwidth(Visit& visit) {
  if (!visit.args.measure || !visit.gpu_works) return;
  const CopyRates rates = measure_copies();
  if (!rates.pinned || !rates.pageable) {
    visit.wrong("copies", "the driver refuses memory for a copy: the GPU's memory may be full.",
                "stoker top");
    return;
  }
  const std::string text =
      fmt::format("to the GPU: {:.1f} GB/s from pinned memory, {:.1f} GB/s from pageable",
                  *rates.pinned * 1e-9, *rates.pageable * 1e-9);
  constexpr double slow = 4e9;  // a third of a PCIe 3 link of 16 lanes
  if (*rates.pinned < slow)
    visit.warn("copies", text + ", which is slow.",
               "sudo lspci -vv -d 10de: | grep LnkSta  (and no other program copies meanwhile)");
  else
    visit.ok("copies", text);
}

}  // namespace stoker::observe
