#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "observe/sample.h"

// Readers of /proc and /sys. All paths are relative to a root folder, "" except in tests.
namespace stoker::observe {

std::string read_text(const std::string& path);  // "" where it cannot be read
std::vector<std::string> split(const std::string& text, char separator);
void for_each_line(const std::string& text, const std::function<void(const std::string&)>& call);

class Proc {
 public:
  explicit Proc(std::string root = "") : root_(std::move(root)) {}

  bool has(int64_t pid) const;  // and is not a zombie
  std::vector<int64_t> pids() const;
  std::vector<int64_t> tree(int64_t pid) const;  // the process, then its descendants
  ProcessSample process(int64_t pid) const;      // without its GPU files; no threads: it has ended
  std::vector<int64_t> gpu_files(
      int64_t pid) const;  // N of /dev/nvidiaN, for processes that compute
  // Processes outside a tree with an open GPU.
  std::vector<GpuProcess> gpu_users(const std::vector<int64_t>& except) const;
  std::string name(int64_t pid) const;     // "" if not visible
  std::string command(int64_t pid) const;  // with arguments
  int64_t user(int64_t pid) const;         // -1: unknown
  // are its open files and I/O counters readable? Own process or root
  bool readable(int64_t pid) const;
  int64_t pid_inside(int64_t pid) const;  // its pid in its own container; the same if none

  const std::string& root() const { return root_; }

 private:
  std::string of(int64_t pid, const char* file) const;
  std::vector<ThreadSample> threads(int64_t pid) const;
  std::string root_;
};

// Cores, memory, throttling and network from the process's point of view.
HostSample host_of(int64_t pid, const std::string& root);

}  // namespace stoker::observe
