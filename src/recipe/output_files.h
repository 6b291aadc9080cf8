#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "stoker/error.h"

namespace stoker::nn {

// The files of a training, written by several threads. A full or read-only disk does not end the
// training: the first failure is reported at once, and later writes are tried.
class OutputFiles {
 public:
  void write(const std::string& path, const std::function<void()>& write);
  void add(const std::string& path);       // written by an earlier run
  std::vector<std::string> names() const;  // without folders, sorted
  bool has_written(const std::string& path) const;
  std::string why_failed(const std::string& path) const;  // the last write of it; empty: it did not

 private:
  void add_failure(const std::string& path, const IoError& error);

  mutable std::mutex mutex_;
  std::vector<std::string> written_;
  std::map<std::string, std::string> failed_;  // path → why the last write of it failed
  bool reported_ = false;
};

}  // namespace stoker::nn
