#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "observe/sample.h"

// Readers of /proc and /sys. All paths begin with a root folder, which is "" but in tests.
namespace stoker::observe {

std::string read_text(const std::string& path);  // "" where it cannot be read
std::vector<std::string> split(const std::string& text, char separator);
void for_each_line(const std::string& text, const std::function<void(const std::string&)>& call);

class Proc {
 public:
  explicit Proc(std::string root = "") : root_(std::move(root)) {}

  bool has(int64_t pid) const;  // and it is no zombie
  std::vector<int64_t> pids() const;
  std::vector<int64_t> tree(int64_t pid) const;  // the process, then its descendants
  ProcessSample process(int64_t pid) const;      // without its GPU files; no threads: it has ended
  std::vector<int64_t> gpu_files(
      int64_t pid) const;  // N of /dev/nvidiaN, of processes that compute
  // Processes outside a tree that have a GPU open to compute.
  std::vector<GpuProcess> gpu_users(const std::vector<int64_t>& except) const;
  std::string name(int64_t pid) const;     // "" where it is not visible
  std::string command(int64_t pid) const;  // with arguments
  int64_t user(int64_t pid) const;         // -1: unknown
  bool readable(int64_t pid) const;        // its open files and bytes read: one's own, or root asks
  int64_t pid_inside(int64_t pid) const;   // the number it has in its own container; itself: none

  const std::string& root() const { return root_; }

 private:
  std::string of(int64_t pid, const char* file) const;
  std::vector<ThreadSample> threads(int64_t pid) const;
  std::string root_;
};

// Cores, memory, throttling and network as the process finds them.
HostSample host_of(int64_t pid, const std::string& root);

}  // namespace stoker::observe
