#include "child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "stoker/error.h"

namespace stoker::cli {
namespace {

[[noreturn]] void become(const std::vector<char*>& arguments,
                         const std::vector<std::string>& variables, Child::Group group,
                         int failed) {
  if (group == Child::Group::own) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  }
  for (const std::string& variable : variables) putenv(const_cast<char*>(variable.c_str()));
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(failed, &error, sizeof error);
  _exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
             Group group) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) throw IoError(fmt::format("no pipe: {}", strerror(errno)));
  pid_ = fork();
  if (pid_ == 0) become(arguments, variables, group, pipe[1]);
  close(pipe[1]);
  int error = pid_ < 0 ? errno : 0;
  // The pipe is closed by a successful exec; until then this waits.
  while (pid_ > 0 && read(pipe[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  close(pipe[0]);
  if (error == 0) return;
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  throw InvalidArgument(fmt::format("\"{}\" cannot be started: {}.", command[0], strerror(error)),
                        "stoker why takes the number of a process, or -- and a command.");
}

bool Child::ended() {
  int status = 0;
  if (ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return ended_;
  ended_ = true;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

void Child::signal(int number) const {
  if (!ended_) kill(pid_, number);
}

void Child::signal_group(int number) const {
  if (!ended_) kill(-pid_, number);
}

}  // namespace stoker::cli
