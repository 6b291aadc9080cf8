#pragma once
#include <string>
#include <vector>

namespace stoker::cli {

// A program that runs beside this one, with this one's terminal.
class Child {
 public:
  // Throws InvalidArgument where it cannot be started. `variables`: "NAME=value" added to its
  // environment.
  explicit Child(const std::vector<std::string>& command,
                 const std::vector<std::string>& variables = {});
  int pid() const { return pid_; }
  bool ended();  // looks, does not wait
  void signal(int number) const;
  int status() const { return status_; }  // its exit status, 128 + n where signal n ended it

 private:
  int pid_ = -1, status_ = 0;
  bool ended_ = false;
};

}  // namespace stoker::cli
