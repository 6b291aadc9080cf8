#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "observe/doctor/checks.h"
#include "observe/proc.h"

// The card, the kernel module, NVML, the device files, visibility, and whether CUDA initialises.
namespace stoker::observe {
namespace {

namespace fs = std::filesystem;

bool on_the_bus(const Visit& visit) {
  std::error_code ignored;
  for (const auto& card : fs::directory_iterator(visit.path("/sys/bus/pci/devices"), ignored)) {
    const std::string vendor = read_text(card.path() / "vendor"),
                      kind = read_text(card.path() / "class");
    if (vendor.starts_with("0x10de") && kind.starts_with("0x03")) return true;
  }
  return false;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  …" → "580.65.06"
std::string module_version(const Visit& visit) {
  for (const std::string& word : split(read_text(visit.path("/proc/driver/nvidia/version")), ' '))
    if (!word.empty() && std::isdigit(word[0]) && std::ranges::count(word, '.') >= 1) return word;
  return "";
}

bool may_open(const Visit& visit, const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return false;
  const int64_t user = visit.args.user < 0 ? geteuid() : visit.args.user;
  if (user == 0) return true;
  constexpr mode_t read_write = 6;
  if (info.st_uid == static_cast<uid_t>(user))
    return (info.st_mode >> 6 & read_write) == read_write;
  gid_t groups[256];
  const int count = visit.args.user < 0 ? getgroups(256, groups) : 0;
  if (std::find(groups, groups + std::max(0, count), info.st_gid) != groups + std::max(0, count))
    return (info.st_mode >> 3 & read_write) == read_write;
  return (info.st_mode & read_write) == read_write;
}

void no_card(Visit& visit) {
  if (visit.in_container())
    visit.warn("GPU", "this container was given no NVIDIA GPU.",
               "docker run --gpus all …  (Kubernetes: resources.limits: nvidia.com/gpu: 1)");
  else
    visit.warn("GPU", "there is no NVIDIA GPU in this machine; training runs on the CPU.", "");
}

void no_nvml(Visit& visit, const std::string& version) {
  const std::string& why = visit.nvml.failure();
  if (version.empty())
    visit.wrong("driver", "an NVIDIA GPU is on the bus, but the kernel module is not loaded.",
                "sudo modprobe nvidia  (not installed: sudo apt-get install nvidia-driver)");
  else if (why.find("mismatch") != why.npos)
    visit.wrong("driver",
                fmt::format("the driver's libraries are of another version than the loaded kernel "
                            "module {}: {}.",
                            version, why),
                "sudo reboot  (an update replaced the driver while it was in use)");
  else
    visit.wrong("driver", fmt::format("the kernel module {} is loaded, but {}.", version, why),
                visit.in_container()
                    ? "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"
                    : "sudo apt-get install libnvidia-ml1 libcuda1");
}

bool is_below(const std::string& digits, size_t count) {
  size_t number = 0;
  const char* const end = digits.data() + digits.size();
  return std::from_chars(digits.data(), end, number).ec == std::errc() && number < count;
}

std::string error_text(const SharedLibrary& library, int status) {
  int (*describe)(int, const char**) = nullptr;
  const char* text = nullptr;
  if (library.load(describe, "cuGetErrorString") && describe(status, &text) == 0 && text)
    return fmt::format("{} (error {})", text, status);
  return fmt::format("error {}", status);
}

std::string mend_of_cuda(int status) {
  constexpr int no_device = 100, not_initialised = 802, mismatch = 803, unknown = 999;
  if (status == no_device) return "unset CUDA_VISIBLE_DEVICES; nvidia-smi -L";
  if (status == not_initialised) return "sudo systemctl enable --now nvidia-fabricmanager";
  if (status == mismatch) return "sudo reboot  (or remove the compat folder from LD_LIBRARY_PATH)";
  if (status == unknown) return "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm";
  return "nvidia-smi";
}

}  // namespace

void check_card(Visit& visit) {
  visit.has_card = visit.exists("/dev/nvidiactl") || visit.exists("/dev/nvidia0") ||
                   visit.exists("/dev/dxg") || on_the_bus(visit) || visit.nvml.failure().empty();
  if (!visit.has_card) return no_card(visit);
  const std::string version = module_version(visit);
  if (!visit.nvml.failure().empty()) return no_nvml(visit, version);
  visit.ok("driver", fmt::format("{}, {}", visit.nvml.driver_version(), visit.nvml.file()));
}

void check_permissions(Visit& visit) {
  if (!visit.has_card || visit.exists("/dev/dxg")) return;  // WSL has no such files
  std::vector<std::string> files = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
  for (const Nvml::Facts& gpu : visit.nvml.facts())
    if (gpu.minor >= 0) files.push_back(fmt::format("/dev/nvidia{}", gpu.minor));
  for (const std::string& file : files) {
    if (!visit.exists(file)) {
      visit.wrong(
          "permissions", fmt::format("{} is missing.", file),
          visit.in_container() ? "docker run --gpus all …" : "sudo nvidia-modprobe -u -c=0");
      return;
    }
    if (!may_open(visit, visit.path(file))) {
      visit.wrong("permissions", fmt::format("you may not open {} for reading and writing.", file),
                  fmt::format("sudo chmod 666 {}  (lasting: sudo usermod -aG video $USER)", file));
      return;
    }
  }
  visit.ok("permissions", fmt::format("{} device files can be opened", files.size()));
}

void check_visible_devices(Visit& visit) {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!value || !visit.has_card) return;
  const std::string shown = fmt::format("CUDA_VISIBLE_DEVICES=\"{}\"", value);
  std::set<std::string> seen;
  const size_t count = visit.nvml.facts().size();
  for (std::string entry : split(value, ',')) {
    entry.erase(0, entry.find_first_not_of(' '));  // CUDA skips blanks before a number
    const bool is_index = !entry.empty() && std::ranges::all_of(entry, ::isdigit);
    const bool is_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if ((!is_index && !is_uuid) || (is_index && count > 0 && !is_below(entry, count))) {
      visit.wrong("visible devices",
                  fmt::format("{}: \"{}\" is none of the {} GPUs, and hides it and all behind it.",
                              shown, entry, count),
                  "unset CUDA_VISIBLE_DEVICES");
      return;
    }
    if (!seen.insert(entry).second) {
      visit.wrong("visible devices",
                  fmt::format("{} names {} twice, which hides all.", shown, entry),
                  "unset CUDA_VISIBLE_DEVICES");
      return;
    }
  }
  if (seen.empty())
    visit.wrong("visible devices", shown + " hides every GPU.", "unset CUDA_VISIBLE_DEVICES");
  else
    visit.ok("visible devices", fmt::format("{}: {} of {}", shown, seen.size(), count));
}

void check_cuda(Visit& visit) {
  if (!visit.has_card) return;
  const SharedLibrary library({"libcuda.so.1"});
  int (*init)(unsigned int) = nullptr;
  int (*version)(int*) = nullptr;
  if (!library || !library.load(init, "cuInit") || !library.load(version, "cuDriverGetVersion")) {
    visit.wrong("CUDA driver", fmt::format("libcuda.so.1 does not open: {}.", library.failure()),
                visit.in_container()
                    ? "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"
                    : "sudo apt-get install libcuda1");
    return;
  }
  if (library.file().find("/stubs/") != std::string::npos) {
    visit.wrong(
        "CUDA driver",
        fmt::format("{} is the toolkit's stub for linking, not the driver.", library.file()),
        "export LD_LIBRARY_PATH=$(echo $LD_LIBRARY_PATH | tr : '\\n' | grep -v stubs | "
        "paste -sd:)");
    return;
  }
  version(&visit.driver_cuda);
  if (const int status = init(0); status != 0) {
    visit.wrong("CUDA driver", fmt::format("CUDA does not start: {}.", error_text(library, status)),
                mend_of_cuda(status));
    return;
  }
  visit.gpu_works = true;
  visit.ok("CUDA driver", fmt::format("starts, supports CUDA {}.{}", visit.driver_cuda / 1000,
                                      visit.driver_cuda % 1000 / 10));
}

}  // namespace stoker::observe
