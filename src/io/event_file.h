#pragma once
#include <cstdint>
#include <string>

#include "stoker/array.h"

namespace stoker {

// A file that TensorBoard shows the curves of while it grows: one per run, in a folder of its own.
class EventFile {
 public:
  explicit EventFile(const std::string& folder);  // made if need be
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  const std::string& path() const { return path_; }
  void add_scalar(const std::string& tag, double value, int64_t step);
  // How often values lie in each of 30 equal parts of their range.
  void add_histogram(const std::string& tag, const Array& values, int64_t step);
  void flush();  // what was added becomes visible to readers

 private:
  std::string path_, waiting_;
  int fd_ = -1;
};

}  // namespace stoker
