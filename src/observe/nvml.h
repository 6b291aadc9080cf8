#pragma once
#include <optional>
#include <string>
#include <vector>

#include "observe/nvml_interface.h"
#include "observe/sample.h"
#include "observe/shared_library.h"

namespace stoker::observe {

// NVML, the driver's management library, opened at run time. All functions but the first few are
// optional: what a library or GPU does not report is absent in the sample.
class Nvml {
 public:
  Nvml();
  const std::string& failure() const { return failure_; }  // why it is not available; "": it is
  std::vector<GpuSample> sample();
  std::string driver_version() const;
  std::string file() const { return library_.file(); }

  // Constants during a program's run.
  struct Facts {
    int64_t index = 0, minor = -1;
    std::string name, uuid;
    std::optional<unsigned int> pcie_generation, pcie_width, max_pcie_generation, max_pcie_width;
    std::optional<unsigned int> compute_mode, persistence_mode;
  };
  std::vector<Facts> facts() const;

 private:
  struct Gpu {
    nvml::Device device = nullptr;
    Facts facts;
    nvml::GpmSample gpm[2] = {};  // the latest two
    bool has_gpm = false;
    int gpm_taken = 0;
    unsigned long long seen = 0;  // time stamp of the latest utilisation of a process
  };
  void load();
  std::string start();
  void add(unsigned int index);
  GpuSample sample(Gpu& gpu);
  void sample_clocks(const Gpu& gpu, GpuSample& sample) const;
  void sample_pcie(const Gpu& gpu, GpuSample& sample) const;
  void sample_processes(Gpu& gpu, GpuSample& sample) const;
  void sample_gpm(Gpu& gpu, GpuSample& sample) const;

  SharedLibrary library_;
  nvml::Functions f_;
  std::string failure_;
  std::vector<Gpu> gpus_;
};

}  // namespace stoker::observe
