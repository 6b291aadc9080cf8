#include "ranks/id_address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "libraries/library.h"
#include "ranks/tcp_socket.h"

namespace stoker::cuda {
namespace {

constexpr std::array<char, 8> magic{'s', 't', 'o', 'k', 'e', 'r', 'i', 'd'};
constexpr double seconds_for_hello = 5;  // of a connection that may be another program's
constexpr auto pause = std::chrono::milliseconds(20);

// What a rank sends when it has connected.
struct Hello {
  std::array<char, 8> magic;
  int32_t rank, size;
};

// What rank 0 answers.
struct Answer {
  char refusal[256];  // empty: here is the id
  NcclId id;
};

Answer refused(const std::string& why) {
  Answer answer{};
  why.copy(answer.refusal, sizeof answer.refusal - 1);
  return answer;
}

std::string why_refused(const Hello& hello, const IdAddress& own,
                        const std::vector<TcpSocket>& ranks) {
  if (hello.size != own.size)
    return fmt::format("rank {} belongs to {} processes, but rank 0 at {} to {}.", hello.rank,
                       hello.size, own.address, own.size);
  if (hello.rank < 1 || hello.rank >= hello.size)
    return fmt::format("a process that has connected to {} says that it is rank {} of {}.",
                       own.address, hello.rank, hello.size);
  if (ranks[static_cast<size_t>(hello.rank)])
    return fmt::format("two processes that have connected to {} say that they are rank {}.",
                       own.address, hello.rank);
  return "";
}

std::vector<size_t> late_ranks(const std::vector<TcpSocket>& ranks) {
  std::vector<size_t> late;
  for (size_t rank = 1; rank < ranks.size(); ++rank)
    if (!ranks[rank]) late.push_back(rank);
  return late;
}

// Tells all connected ranks, which would otherwise wait for an id until their time limit.
[[noreturn]] void refuse_all(const std::string& why, const std::vector<TcpSocket>& ranks) {
  const Answer answer = refused(why);
  for (const TcpSocket& rank : ranks)
    if (rank) rank.send(&answer, sizeof answer, deadline_in(seconds_for_hello));
  throw CudaError(why);
}

void give(const IdAddress& own, const NcclId& id) {
  const Deadline until = deadline_in(own.timeout_seconds);
  const TcpSocket listening = TcpSocket::listen(own.address);
  std::vector<TcpSocket> ranks(static_cast<size_t>(own.size));
  for (auto late = late_ranks(ranks); !late.empty(); late = late_ranks(ranks)) {
    TcpSocket rank = listening.accept(until);
    if (!rank && std::chrono::steady_clock::now() >= until)
      refuse_all(fmt::format("rank {} did not connect to {} within {} s.", fmt::join(late, ", "),
                             own.address, own.timeout_seconds),
                 ranks);
    Hello hello{};
    const Deadline soon = std::min(until, deadline_in(seconds_for_hello));
    if (!rank || !rank.receive(&hello, sizeof hello, soon) || hello.magic != magic) continue;
    if (const std::string why = why_refused(hello, own, ranks); !why.empty()) {
      ranks.push_back(std::move(rank));
      refuse_all(why, ranks);
    }
    ranks[static_cast<size_t>(hello.rank)] = std::move(rank);
  }
  const Answer answer{{}, id};
  for (size_t rank = 1; rank < ranks.size(); ++rank)
    if (!ranks[rank].send(&answer, sizeof answer, until))
      throw CudaError(fmt::format("rank {} has closed its connection to {}.", rank, own.address));
}

// Rank 0 may start later.
TcpSocket connect(const IdAddress& to, Deadline until) {
  for (;;) {
    if (TcpSocket made = TcpSocket::connect(to.address, until)) return made;
    if (std::chrono::steady_clock::now() >= until)
      throw CudaError(fmt::format(
          "rank {} did not reach rank 0 at {} within {} s. MASTER_ADDR must be the address of rank "
          "0's machine, and MASTER_PORT a port that is open there.",
          to.rank, to.address, to.timeout_seconds));
    std::this_thread::sleep_for(pause);
  }
}

void take(const IdAddress& to, NcclId& id) {
  const TcpSocket root = connect(to, deadline_in(to.timeout_seconds));
  const Hello hello{magic, to.rank, to.size};
  Answer answer{};
  // Rank 0 itself waits that long for all ranks to connect, and names those that do not.
  const Deadline until = deadline_in(to.timeout_seconds + seconds_for_hello);
  if (!root.send(&hello, sizeof hello, until) || !root.receive(&answer, sizeof answer, until))
    throw CudaError(fmt::format(
        "{} did not answer rank {}: rank 0 has ended, or another program uses the port.",
        to.address, to.rank));
  answer.refusal[sizeof answer.refusal - 1] = '\0';
  if (*answer.refusal) throw CudaError(answer.refusal);
  id = answer.id;
}

}  // namespace

void exchange_id(const IdAddress& to, NcclId& id) {
  if (to.rank == 0)
    give(to, id);
  else
    take(to, id);
}

}  // namespace stoker::cuda
