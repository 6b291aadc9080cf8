#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "libraries/library.h"
#include "ranks/id_address.h"
#include "ranks/id_file.h"

// How ranks without MPI find each other: through a file, and over TCP.
namespace stoker::cuda {
namespace {

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// Another run of the tests on the same machine has another one.
std::string path_of_this_process(const char* name) {
  return std::filesystem::temp_directory_path() / fmt::format("stoker_nccl_{}_{}", name, getpid());
}

TEST(NcclIdFile, ThatCannotBeWrittenIsRefusedByEveryRank) {
  for (int rank = 0; rank < 2; ++rank) {
    NcclId id{};
    try {
      exchange_id(IdFile{"/nonexistent/id", rank, 2, 1}, id);
      FAIL();
    } catch (const CudaError& error) {
      EXPECT_TRUE(has(error.what(), "cannot write /nonexistent/id")) << error.what();
    }
  }
}

// Rank 0 answers those that ask now, not those of a run that was killed.
TEST(NcclIdFile, GivesTheIdToAllRanksWhateverAnEarlierRunLeft) {
  const std::string path = path_of_this_process("id");
  for (const char* suffix : {"", ".1", ".2"})
    std::ofstream(path + suffix) << std::string(sizeof(NcclId) + 24, 'x');
  std::vector<NcclId> ids(3);
  std::strcpy(ids[0].bytes, "the id");
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      exchange_id(IdFile{path, rank, 3, 60}, ids[static_cast<size_t>(rank)]);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_STREQ(ids[1].bytes, "the id");
  EXPECT_STREQ(ids[2].bytes, "the id");
  for (const char* suffix : {"", ".1", ".2"}) EXPECT_FALSE(std::filesystem::exists(path + suffix));
}

TEST(NcclIdFile, NamesARankThatDoesNotCome) {
  const std::string path = path_of_this_process("late");
  NcclId id{};
  try {
    exchange_id(IdFile{path, 0, 3, 0}, id);
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_TRUE(has(error.what(), "rank 1, 2 did not appear at")) << error.what();
  }
}

// A listening socket at a port of this machine that was free.
class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
  }
  ~Listener() { ::close(fd_); }
  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  int fd() const { return fd_; }

 private:
  int fd_;
  int port_ = 0;
};

std::string free_address() { return Listener().address(); }

struct Outcome {
  NcclId id{};
  std::string failure;
};

Outcome exchange(const std::string& address, int rank, int size, double seconds) {
  Outcome outcome;
  if (rank == 0) std::strcpy(outcome.id.bytes, "the id");
  try {
    exchange_id(IdAddress{address, rank, size, seconds}, outcome.id);
  } catch (const CudaError& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

// The processes with these ranks and sizes, all at the same time.
std::vector<Outcome> exchange_all(const std::string& address,
                                  const std::vector<std::pair<int, int>>& processes,
                                  double seconds) {
  std::vector<Outcome> outcomes(processes.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < processes.size(); ++i)
    threads.emplace_back([&, i] {
      outcomes[i] = exchange(address, processes[i].first, processes[i].second, seconds);
    });
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

TEST(NcclIdAddress, GivesTheIdToAllRanks) {
  for (const Outcome& outcome : exchange_all(free_address(), {{2, 3}, {1, 3}, {0, 3}}, 60)) {
    EXPECT_EQ(outcome.failure, "");
    EXPECT_STREQ(outcome.id.bytes, "the id");
  }
}

// In Kubernetes rank 0 may not know the name of its own service yet.
TEST(NcclIdAddress, MayHaveANameThatRank0DoesNotKnow) {
  const std::string address = free_address();
  Outcome root;
  std::thread rank_0(
      [&] { root = exchange("no host here" + address.substr(address.rfind(':')), 0, 2, 60); });
  const Outcome other = exchange(address, 1, 2, 60);
  rank_0.join();
  EXPECT_EQ(root.failure, "");
  EXPECT_STREQ(other.id.bytes, "the id");
}

// As port scanners and the clients of other servers do.
TEST(NcclIdAddress, IgnoresConnectionsOfOtherPrograms) {
  const std::string address = free_address();
  Outcome root;
  std::thread rank_0([&] { root = exchange(address, 0, 2, 60); });
  const char* const request = "GET / HTTP/1.1\r\n\r\n";
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  for (int silent = 0; silent < 2; ++silent)
    for (bool connected = false; !connected;) {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      connected = ::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
      if (connected && !silent) {
        EXPECT_GT(::send(fd, request, std::strlen(request), MSG_NOSIGNAL), 0);
      }
      ::close(fd);
    }
  const Outcome other = exchange(address, 1, 2, 60);
  rank_0.join();
  EXPECT_EQ(root.failure, "");
  EXPECT_EQ(other.failure, "");
  EXPECT_STREQ(other.id.bytes, "the id");
}

TEST(NcclIdAddress, NamesAPortThatIsTaken) {
  const Listener other;
  const std::string failure = exchange(other.address(), 0, 2, 60).failure;
  EXPECT_TRUE(has(failure, "rank 0 cannot listen at 127.0.0.1:")) << failure;
  EXPECT_TRUE(has(failure, "Another program uses the port; MASTER_PORT")) << failure;
}

TEST(NcclIdAddress, NamesTheRanksThatDoNotConnect) {
  const std::string address = free_address();
  Outcome second;
  std::thread rank_2([&] { second = exchange(address, 2, 4, 60); });
  const Outcome root = exchange(address, 0, 4, 5);  // enough for a thread that is late
  rank_2.join();
  for (const Outcome& outcome : {root, second})
    EXPECT_TRUE(has(outcome.failure, "rank 1, 3 did not connect to 127.0.0.1:")) << outcome.failure;
}

TEST(NcclIdAddress, NamesTheAddressWhereNobodyListens) {
  const std::string failure = exchange(free_address(), 1, 2, 0.1).failure;
  EXPECT_TRUE(has(failure, "rank 1 did not reach rank 0 at 127.0.0.1:")) << failure;
  EXPECT_TRUE(has(exchange("no host here:1", 1, 2, 0.1).failure, "did not reach rank 0"));
  EXPECT_TRUE(has(exchange("no port", 0, 2, 0.1).failure, "cannot listen at no port"));
}

TEST(NcclIdAddress, RefusesARankOfAnotherGroup) {
  for (const Outcome& outcome : exchange_all(free_address(), {{0, 2}, {1, 3}}, 60))
    EXPECT_TRUE(has(outcome.failure, "rank 1 belongs to 3 processes, but rank 0 at"))
        << outcome.failure;
  const auto twice = exchange_all(free_address(), {{0, 3}, {1, 3}, {1, 3}}, 60);
  for (const Outcome& outcome : twice)
    EXPECT_TRUE(has(outcome.failure, "say that they are rank 1.")) << outcome.failure;
}

// Another program may have the port on rank 0's machine.
TEST(NcclIdAddress, NamesAPortThatAnotherProgramHas) {
  const Listener other;
  std::thread accepts([&] {
    const int fd = ::accept(other.fd(), nullptr, nullptr);
    ::close(fd);
  });
  const std::string failure = exchange(other.address(), 1, 2, 60).failure;
  accepts.join();
  EXPECT_TRUE(has(failure, "did not answer rank 1: rank 0 has ended, or another")) << failure;
}

}  // namespace
}  // namespace stoker::cuda
