#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test_places.h"

namespace stoker {

// An environment variable until the end of the scope.
class VariableScope {
 public:
  VariableScope(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~VariableScope() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  VariableScope(const VariableScope&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A machine whose NVIDIA libraries are tests/fake_nvidia, with these names only.
class FakeNvidia {
 public:
  explicit FakeNvidia(const std::vector<std::string>& libraries = {"libnvidia-ml.so.1"}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const std::string& name : libraries)
      std::filesystem::copy_file(STOKER_BINARY_DIR "/fake_nvidia/libfake_nvidia.so",
                                 folder_ / name);
    setenv("STOKER_FAKE_NVIDIA", (folder_ / "answers").c_str(), 1);
  }
  ~FakeNvidia() {
    unsetenv("STOKER_FAKE_NVIDIA");
    std::filesystem::remove_all(folder_);
  }
  void set(const std::string& key, const std::string& value) {
    answers_[key] = value;
    std::ofstream file(folder_ / "answers");
    for (const auto& [name, answer] : answers_) file << name << " " << answer << "\n";
  }
  void set(const std::string& key, int64_t value) { set(key, std::to_string(value)); }

 private:
  static inline int made_ = 0;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("stoker_nvidia_" + std::to_string(getpid()) + "_" + std::to_string(made_++));
  std::map<std::string, std::string> answers_;
  VariableScope libraries_{"STOKER_CUDA_LIBRARIES", folder_.c_str()};
  VariableScope only_{"STOKER_CUDA_LIBRARIES_ONLY", "1"};
};

}  // namespace stoker
