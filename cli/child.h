#pragma once
#include <string>
#include <vector>

namespace stoker::cli {

// A child process on the same terminal.
class Child {
 public:
  // own: Ctrl-C does not reach it, and the kernel terminates it if this program dies.
  enum class Group { ours, own };
  // Throws InvalidArgument if it cannot be started. `variables`: "NAME=value" added to its
  // environment.
  explicit Child(const std::vector<std::string>& command,
                 const std::vector<std::string>& variables = {}, Group group = Group::ours);
  int pid() const { return pid_; }
  bool ended();  // does not wait
  void signal(int number) const;
  void signal_group(int number) const;    // and its own children, if it has a group of its own
  int status() const { return status_; }  // its exit status; 128 + n if signal n ended it

 private:
  int pid_ = -1, status_ = 0;
  bool ended_ = false;
};

}  // namespace stoker::cli
