#pragma once
#include <cuda.h>

#include <cstdint>
#include <string>

// NVML, the driver's management library, knows about other processes. All of it is optional.
namespace stoker::cuda {

uint64_t nvml_used(CUdevice device);        // used by all processes; 0 if unknown
std::string nvml_holders(CUdevice device);  // "process 4711 (python3) holds 70.1 GB; …" or ""
std::string nvml_driver_version();          // "580.159.04" or ""

}  // namespace stoker::cuda
