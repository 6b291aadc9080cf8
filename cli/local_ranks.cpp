#include "local_ranks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "child.h"
#include "interrupt.h"
#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto grace = std::chrono::seconds(5);  // between SIGTERM and SIGKILL
constexpr int signal_status = 128;

int free_port() {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof at;
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool found = fd >= 0 && ::bind(fd, any, size) == 0 && ::getsockname(fd, any, &size) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!found) throw IoError(fmt::format("there is no free TCP port: {}.", std::strerror(error)));
  return ntohs(at.sin_port);
}

// Variables of other launchers would contradict those of these ranks.
void unset_other_launchers() {
  for (const char* const name :
       {"KERAS_DISTRIBUTION_PROCESS_ID", "KERAS_DISTRIBUTION_NUM_PROCESSES",
        "KERAS_DISTRIBUTION_JOB_ADDRESSES", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_RANK", "PMI_SIZE",
        "PMIX_RANK", "TF_CONFIG", "TORCHELASTIC_USE_AGENT_STORE"})
    ::unsetenv(name);
}

class LocalRanks {
 public:
  LocalRanks(int processes, const std::vector<std::string>& command) {
    const int port = free_port();
    for (int rank = 0; rank < processes; ++rank)
      ranks_.emplace_back(
          command,
          std::vector<std::string>{fmt::format("RANK={}", rank), fmt::format("LOCAL_RANK={}", rank),
                                   fmt::format("WORLD_SIZE={}", processes),
                                   fmt::format("LOCAL_WORLD_SIZE={}", processes),
                                   "MASTER_ADDR=127.0.0.1", fmt::format("MASTER_PORT={}", port)},
          Child::Group::own);
  }

  bool ended() {
    bool all = true;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      const bool has_ended = ranks_[rank].ended();
      all = all && has_ended;
      if (has_ended && status_ == 0) status_ = ranks_[rank].status(), first_ = rank;
    }
    return all;
  }

  // After a signal every rank ends by itself, and rank 0 may take as long as it needs to save.
  void step_in() {
    if (was_interrupted() && !std::exchange(forwarded_, true))
      signal(status_of_signal() - signal_status);
    if (status_ == 0 || was_interrupted()) return;
    if (!kill_at_) {
      say(stderr, fmt::format("stoker: {}. The other ranks are terminated.\n", first_failure()));
      signal(SIGTERM);
      kill_at_ = Clock::now() + grace;
    } else if (Clock::now() > *kill_at_) {
      signal(SIGKILL);  // they may be waiting for the rank that failed
    }
  }

  int status() const { return status_; }

 private:
  void signal(int number) const {
    for (const Child& rank : ranks_) rank.signal_group(number);
  }
  std::string first_failure() const {
    return status_ > signal_status
               ? fmt::format("rank {} was ended by signal {} ({})", first_, status_ - signal_status,
                             ::strsignal(status_ - signal_status))
               : fmt::format("rank {} exited with status {}", first_, status_);
  }

  std::vector<Child> ranks_;
  int status_ = 0;    // of the first rank that failed
  size_t first_ = 0;  // that rank
  bool forwarded_ = false;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace

int run_local_ranks(int processes, const std::vector<std::string>& command) {
  unset_other_launchers();
  LocalRanks ranks(processes, command);
  for (; !ranks.ended(); std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    ranks.step_in();
  return ranks.status();
}

}  // namespace stoker::cli
