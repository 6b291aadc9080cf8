#include "ranks/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "core/hash/fingerprint.h"

namespace stoker::cuda {
namespace {

// Never destroyed: graphs of static objects contain it.
struct Joined {
  Communicator communicator;
  const StokerCollectives& ranks;
};
std::atomic<Joined*> joined = nullptr;

constexpr size_t most_shown = 300;  // length of the reported difference

// What a rank tells the others before they connect.
struct Told {
  char machine[64], gpu[32], why[512];
  int32_t version, may_share;
};

template <size_t n>
void put(char (&to)[n], const std::string& text) {
  to[text.copy(to, n - 1)] = '\0';
}

// The same for all containers of a machine, unlike its host name.
std::string machine_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

Told describe(const Gpu& gpu) {
  Told told{};
  put(told.why, why_no_nccl(gpu));
  put(told.machine, machine_id());
  driver().cuDeviceGetPCIBusId(told.gpu, sizeof told.gpu, gpu.device);
  const char* const share = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  told.may_share = share && std::strcmp(share, "1") == 0;
  if (!*told.why) told.version = nccl().version;
  return told;
}

template <class T>
std::vector<T> gather(const StokerCollectives& ranks, const T& own) {
  std::vector<T> all(static_cast<size_t>(ranks.size()));
  ranks.all_gather(&own, all.data(), sizeof own);
  return all;
}

std::string why_not_together(const Told& a, size_t rank_a, const Told& b, size_t rank_b) {
  if (a.version != b.version)
    return fmt::format("rank {} has NCCL {}, and rank {} has {}.", rank_a,
                       nccl_version_text(a.version), rank_b, nccl_version_text(b.version));
  if (std::strcmp(a.machine, b.machine) != 0 || std::strcmp(a.gpu, b.gpu) != 0) return "";
  if (a.version < nccl_shares_gpus)
    return fmt::format("ranks {} and {} share the GPU {}, and NCCL {} needs one GPU per rank.",
                       rank_a, rank_b, a.gpu, nccl_version_text(a.version));
  if (!a.may_share || !b.may_share)
    return fmt::format(
        "ranks {} and {} share the GPU {}; NCCL {} allows that if NCCL_MULTI_RANK_GPU_ENABLE=1.",
        rank_a, rank_b, a.gpu, nccl_version_text(a.version));
  return "";
}

std::string why_not(const std::vector<Told>& all) {
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (*all[rank].why) return fmt::format("rank {}: {}", rank, all[rank].why);
  for (size_t rank = 1; rank < all.size(); ++rank)
    for (size_t other = 0; other < rank; ++other)
      if (const auto why = why_not_together(all[other], other, all[rank], rank); !why.empty())
        return why;
  return "";
}

struct Failure {
  char why[512];
};

// A failure on any rank is a failure on all.
void agree(const StokerCollectives& ranks, const std::string& failure) {
  Failure own{};
  put(own.why, failure);
  const std::vector<Failure> all = gather(ranks, own);
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (*all[rank].why) throw CudaError(fmt::format("rank {}: {}", rank, all[rank].why));
}

// NCCL connects at the first sum of each size class, which allocates memory: that must not happen
// during capture.
void add_once(const Gpu& gpu, const Communicator& ranks) {
  constexpr int64_t most = 1 << 20;
  CUdeviceptr memory = 0;
  const std::lock_guard lock(*gpu.guard);
  check(driver().cuMemAlloc(&memory, most * sizeof(float)), "taking memory for a first sum");
  check(driver().cuMemsetD8Async(memory, 0, most * sizeof(float), gpu.stream), "filling memory");
  void* const at = reinterpret_cast<void*>(memory);
  for (int64_t count = 1; count <= most; count *= 32)
    ranks.all_reduce(at, at, count, DType::float32, gpu.stream);
  check(driver().cuStreamSynchronize(gpu.stream), "waiting for the first sums");
  check(driver().cuMemFree(memory), "releasing memory");
}

template <class F>
std::string failure_of(F body) {
  try {
    body();
    return "";
  } catch (const CudaError& error) {
    return error.what();
  }
}

}  // namespace

void join_ranks(const Gpu& gpu, const StokerCollectives& ranks) {
  if (const std::string why = why_not(gather(ranks, describe(gpu))); !why.empty())
    throw CudaError(why);
  NcclId id{};
  agree(ranks, failure_of([&] {
          if (ranks.rank() == 0) check(nccl().get_unique_id(&id), "making an id of the group");
        }));
  ranks.broadcast(&id, sizeof id, 0);
  std::unique_ptr<Joined> made;
  agree(ranks, failure_of([&] {
          made.reset(new Joined{{gpu, ranks.rank(), ranks.size(), id}, ranks});
        }));
  agree(ranks, failure_of([&] { add_once(gpu, made->communicator); }));
  joined = made.release();
}

const Communicator* communicator_of(const Gpu& gpu) {
  const Joined* const found = joined.load(std::memory_order_acquire);
  return found && &found->communicator.gpu() == &gpu ? &found->communicator : nullptr;
}

int64_t agree_on_step(const std::string& sums, int64_t calls) {
  struct Step {
    uint64_t sums;
    int64_t calls;
  };
  const auto all = gather(joined.load()->ranks, Step{fingerprint64(sums), calls});
  for (size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank].sums != all[0].sums)
      throw CudaError(
          fmt::format("the step of rank {} adds other tensors over the ranks than that of rank 0, "
                      "or in another order; here they are {}.",
                      rank, sums.size() > most_shown ? sums.substr(0, most_shown) + " …" : sums));
  return std::ranges::max_element(all, {}, &Step::calls)->calls;
}

}  // namespace stoker::cuda
