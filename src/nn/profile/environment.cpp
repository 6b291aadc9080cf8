#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "nn/profile/record.h"
#include "stoker/human_bytes.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string command_line() {
  std::string text = text_of("/proc/self/cmdline");
  if (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

// "model name	: AMD EPYC …"
std::string read_processor() {
  const std::string text = text_of("/proc/cpuinfo");
  const size_t at = text.find("model name");
  if (at == text.npos) return "";
  const size_t begin = text.find(": ", at), end = text.find('\n', at);
  return begin < end ? text.substr(begin + 2, end - begin - 2) : "";
}

// On a machine with many cores that file takes milliseconds to read.
const std::string& processor() {
  static const std::string name = read_processor();
  return name;
}

std::string host_memory() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGE_SIZE);
  return human_bytes(pages * size);
}

}  // namespace

TextPairs environment_of(const device::Device& device) {
  const StokerDevice described = device.describe();
  utsname system{};
  ::uname(&system);
  TextPairs found{{"device", device.name()},
                  {"device name", described.name},
                  {"device detail", described.detail},
                  {"device memory", human_bytes(static_cast<int64_t>(described.memory))},
                  {"libraries", device.table().libraries()},
                  {"stoker", version()},
                  {"compiler", __VERSION__},
                  {"host", system.nodename},
                  {"system", fmt::format("{} {}", system.sysname, system.release)},
                  {"processor", processor()},
                  {"processor threads", std::to_string(std::thread::hardware_concurrency())},
                  {"host memory", host_memory()},
                  {"command", command_line()}};
  for (const char* name :
       {"STOKER_NUM_THREADS", "STOKER_DEVICE", "CUDA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE"})
    if (const char* value = std::getenv(name)) found.emplace_back(name, value);
  std::erase_if(found, [](const auto& pair) { return pair.second.empty(); });
  return found;
}

}  // namespace stoker::nn
