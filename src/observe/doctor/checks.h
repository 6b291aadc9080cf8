#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "observe/nvml.h"
#include "stoker/doctor.h"

namespace stoker::observe {

// Facts shared by the checks. Each check adds its lines.
struct Visit {
  const DoctorArgs& args;
  Nvml nvml;
  std::vector<Finding> findings;
  bool has_card = false;   // on the PCI bus, or by a device file
  bool gpu_works = false;  // the CUDA driver initialises and has one
  int driver_cuda = 0;     // the newest CUDA it supports: 13000

  explicit Visit(const DoctorArgs& a) : args(a) {}
  void ok(std::string name, std::string text);
  void warn(std::string name, std::string text, std::string mend);
  void wrong(std::string name, std::string text, std::string mend);
  std::string path(const std::string& absolute) const { return args.root + absolute; }
  bool exists(const std::string& absolute) const;
  std::string variable(const char* name) const;
  bool in_container() const;
};

// In this order.
void check_card(Visit& visit);
void check_permissions(Visit& visit);
void check_visible_devices(Visit& visit);
void check_cuda(Visit& visit);
void check_libraries(Visit& visit);
void check_gpus(Visit& visit);
void check_bandwidth(Visit& visit);
void check_host(Visit& visit);
void check_disk(Visit& visit);
void check_frameworks(Visit& visit);

// Bytes/s from host to GPU; nothing if the driver refuses.
struct CopyRates {
  std::optional<double> pinned, pageable;
};
CopyRates measure_copies();
std::optional<double> measure_disk(const std::string& folder);

}  // namespace stoker::observe
