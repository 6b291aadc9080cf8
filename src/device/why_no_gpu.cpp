#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/registry.h"

namespace stoker::device {
namespace {

// Created by the kernel module, also in a container with access to the GPU.
bool has_nvidia_file() {
  std::error_code ignored;
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"})
    if (std::filesystem::exists(path, ignored)) return true;
  return false;
}

bool has_nvidia_card() {
  std::error_code ignored;
  for (const auto& card : std::filesystem::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::string vendor, kind;
    std::ifstream(card.path() / "vendor") >> vendor;
    std::ifstream(card.path() / "class") >> kind;
    if (vendor == "0x10de" && kind.starts_with("0x03")) return true;  // NVIDIA, a display
  }
  return false;
}

// Looked for once: train_on_batch asks in every step.
bool has_nvidia_hardware() {
  static const bool has = has_nvidia_file() || has_nvidia_card();
  return has;
}

}  // namespace

std::string Registry::explain_no_gpu() const {
  if (std::ranges::find(physical_, "GPU", &Physical::kind) != physical_.end())
    return "set_visible_devices has hidden every GPU.";
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  for (const LoadFailure& failure : failures_)
    if (failure.name != "cpu") add(failure.text());
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible && text.find("CUDA_VISIBLE_DEVICES") == text.npos)
    add(fmt::format("CUDA_VISIBLE_DEVICES is \"{}\".", visible));
  return text.empty() ? "no backend has one." : text;
}

std::string Registry::why_no_gpu() {
  const std::lock_guard lock(guard_);
  list();
  return explain_no_gpu();
}

bool Registry::expects_gpu() {
  const std::lock_guard lock(guard_);
  list();
  const auto found = std::ranges::find(physical_, "GPU", &Physical::kind);
  // The program hides it, or requests another device.
  if (found != physical_.end() || std::getenv("STOKER_DEVICE")) return false;
  // The CUDA plugin is built wherever the toolkit is installed, so its presence proves nothing.
  const auto tells = [](const LoadFailure& failure) {
    return failure.name != "cpu" && failure.name != "cuda" && failure.found;
  };
  return has_nvidia_hardware() || std::ranges::any_of(failures_, tells);
}

}  // namespace stoker::device
