#pragma once

// The used part of nvml.h: the toolkit's header is not always installed, and newer libraries keep
// these layouts.
namespace stoker::observe::nvml {

using Device = void*;
using GpmSample = void*;
using Return = int;  // 0: success

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned int gpu, memory;  // percent
};
struct ProcessInfo {
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance, compute_instance;
};
struct ProcessUtilization {
  unsigned int pid;
  unsigned long long time_stamp;              // microseconds
  unsigned int sm, memory, encoder, decoder;  // percent
};
struct GpmSupport {
  unsigned int version = 1, supported = 0;
};
struct GpmMetric {
  unsigned int id = 0;
  Return status = 0;
  double value = 0;
  const char* names[3] = {};
};
inline constexpr unsigned int most_gpm_metrics = 512;
struct GpmMetrics {
  unsigned int version = 1, count = 0;
  GpmSample from = nullptr, to = nullptr;
  GpmMetric metrics[most_gpm_metrics];
};
enum GpmId : unsigned int {
  gpm_sm_active = 2,
  gpm_sm_occupancy = 3,
  gpm_tensor_active = 5,
  gpm_dram_active = 10,
  gpm_pcie_out = 20,  // MiB/s from the GPU
  gpm_pcie_in = 21,   // MiB/s to the GPU
};

inline constexpr unsigned int sm_clock = 1, core_temperature = 0, pcie_out = 0, pcie_in = 1;

// Bits of the reasons for a reduced clock.
inline constexpr unsigned long long software_power_cap = 0x4, hardware_slowdown = 0x8,
                                    software_thermal = 0x20, hardware_thermal = 0x40,
                                    hardware_power_brake = 0x80;

struct Functions {
  Return (*init)() = nullptr;
  const char* (*error_text)(Return) = nullptr;
  Return (*driver_version)(char*, unsigned int) = nullptr;
  Return (*cuda_version)(int*) = nullptr;
  Return (*count)(unsigned int*) = nullptr;
  Return (*by_index)(unsigned int, Device*) = nullptr;
  Return (*name)(Device, char*, unsigned int) = nullptr;
  Return (*uuid)(Device, char*, unsigned int) = nullptr;
  Return (*minor)(Device, unsigned int*) = nullptr;
  Return (*memory)(Device, Memory*) = nullptr;
  Return (*utilization)(Device, Utilization*) = nullptr;
  Return (*processes)(Device, unsigned int*, ProcessInfo*) = nullptr;
  Return (*process_utilization)(Device, ProcessUtilization*, unsigned int*,
                                unsigned long long) = nullptr;
  Return (*clock)(Device, unsigned int, unsigned int*) = nullptr;
  Return (*max_clock)(Device, unsigned int, unsigned int*) = nullptr;
  Return (*slowdowns)(Device, unsigned long long*) = nullptr;
  Return (*power)(Device, unsigned int*) = nullptr;        // milliwatts
  Return (*power_limit)(Device, unsigned int*) = nullptr;  // milliwatts
  Return (*temperature)(Device, unsigned int, unsigned int*) = nullptr;
  Return (*pcie)(Device, unsigned int, unsigned int*) = nullptr;  // KB/s
  Return (*pcie_generation)(Device, unsigned int*) = nullptr;
  Return (*pcie_width)(Device, unsigned int*) = nullptr;
  Return (*max_pcie_generation)(Device, unsigned int*) = nullptr;
  Return (*max_pcie_width)(Device, unsigned int*) = nullptr;
  Return (*compute_mode)(Device, unsigned int*) = nullptr;
  Return (*persistence_mode)(Device, unsigned int*) = nullptr;
  Return (*gpm_support)(Device, GpmSupport*) = nullptr;
  Return (*gpm_alloc)(GpmSample*) = nullptr;
  Return (*gpm_get)(Device, GpmSample) = nullptr;
  Return (*gpm_metrics)(GpmMetrics*) = nullptr;
};

}  // namespace stoker::observe::nvml
