#include "nccl/group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace stoker::emulator {

struct NcclGroup::Shared {
  struct Rank {
    std::atomic<uint64_t> meetings;  // that it has come to
    std::atomic<int> process, left;
    GroupCall call;
  };
  Rank ranks[most_ranks];
  alignas(4096) char pieces[most_ranks][piece_bytes];
};

namespace {

bool same(const GroupCall& a, const GroupCall& b) {
  return std::strcmp(a.name, b.name) == 0 && a.count == b.count && a.type == b.type &&
         a.op == b.op && a.root == b.root && a.recorded == b.recorded;
}

std::string describe(const GroupCall& call) {
  return fmt::format(
      "{} of {} elements of type {} (op {}, root {}{})", call.name, call.count, call.type, call.op,
      call.root,
      call.recorded < 0 ? ", not recorded" : fmt::format(", recorded as call {}", call.recorded));
}

}  // namespace

std::string NcclGroup::make_id() {
  char path[] = "/dev/shm/stoker-nccl-XXXXXX";
  const int file = ::mkstemp(path);
  if (file < 0 || ::ftruncate(file, sizeof(Shared)) != 0) throw std::runtime_error("no /dev/shm");
  ::close(file);
  return path;
}

NcclGroup::NcclGroup(const std::string& id, int rank, int size) : rank_(rank), size_(size) {
  const int file = ::open(id.c_str(), O_RDWR);
  if (file < 0) throw std::runtime_error(fmt::format("there is no group {}", id));
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("the group's memory cannot be mapped");
  shared_ = static_cast<Shared*>(memory);
  shared_->ranks[rank].process = ::getpid();
  const GroupCall joins{"ncclCommInitRank", static_cast<uint64_t>(size), 0, 0, 0, -1};
  std::string why = meet(joins);
  if (why.empty()) why = part();
  if (rank == 0) ::unlink(id.c_str());
  if (!why.empty()) throw std::runtime_error(why);
}

NcclGroup::~NcclGroup() {
  shared_->ranks[rank_].left = 1;
  ::munmap(shared_, sizeof(Shared));
}

char* NcclGroup::piece(int rank) const { return shared_->pieces[rank]; }

bool NcclGroup::is_gone(int rank) const {
  const Shared::Rank& other = shared_->ranks[rank];
  const int process = other.process;
  return other.left != 0 || (process != 0 && ::kill(process, 0) != 0);
}

std::string NcclGroup::wait_for_all() {
  const uint64_t meeting = ++meetings_;
  shared_->ranks[rank_].meetings = meeting;
  for (int other = 0; other < size_; ++other)
    while (shared_->ranks[other].meetings < meeting) {
      if (is_gone(other) && shared_->ranks[other].meetings < meeting)
        return fmt::format("rank {} is gone, for which rank {} waits in its call {}", other, rank_,
                           calls_);
      ::sched_yield();
    }
  return "";
}

std::string NcclGroup::meet(const GroupCall& call) {
  ++calls_;
  shared_->ranks[rank_].call = call;
  if (std::string gone = wait_for_all(); !gone.empty()) return gone;
  for (int other = 1; other < size_; ++other)
    if (!same(shared_->ranks[0].call, shared_->ranks[other].call))
      return fmt::format("call {}: rank {} calls {}, where rank 0 calls {}", calls_, other,
                         describe(shared_->ranks[other].call), describe(shared_->ranks[0].call));
  return "";
}

std::string NcclGroup::part() { return wait_for_all(); }

}  // namespace stoker::emulator
