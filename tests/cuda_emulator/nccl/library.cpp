#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "core/half.h"
#include "libraries/nccl.h"
#include "nccl/group.h"
#include "stream.h"

// libnccl.so.2 of the emulated GPU. Where NCCL hangs or returns wrong sums, this one returns an
// error that explains the mistake.
using namespace stoker;
using cuda::NcclId;
using cuda::NcclOp;
using cuda::NcclResult;
using cuda::NcclType;
using emulator::GroupCall;

// Never freed, so that its use after it was destroyed is noticed.
struct ncclComm {
  std::unique_ptr<emulator::NcclGroup> group;  // null: destroyed
  // Of recorded calls: how many there are, which graph and call was the latest, and what was
  // replayed.
  int64_t recorded = 0, graph = -1, latest = -1, replayed = -1;
  std::shared_ptr<int> graphs = std::make_shared<int>();  // shared with all that are recorded
};

namespace {

constexpr auto invalid_argument = NcclResult{4}, invalid_usage = NcclResult{5};
constexpr size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

thread_local std::string failure;
thread_local int groups = 0;
thread_local std::vector<std::function<NcclResult()>> waiting;  // for the group's end
thread_local auto group_status = NcclResult::success;           // a group with a failed call fails

NcclResult fail(NcclResult status, std::string why) {
  failure = "emulated NCCL: " + std::move(why);
  return status;
}

// The emulated driver that the program has opened.
template <class F>
F of_driver(const char* name) {
  static void* const library = [] {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&of_driver<F>), &own);
    const auto folder = std::filesystem::path(own.dli_fname).parent_path();
    return dlopen((folder / "libcuda.so.1").c_str(), RTLD_NOW);
  }();
  return reinterpret_cast<F>(dlsym(library, name));
}

bool is_on_device(const void* at, size_t bytes) {
  return of_driver<bool (*)(const void*, size_t)>("stoker_emulator_contains")(at, bytes);
}
CUresult driver_fails(const std::string& why) {
  return of_driver<CUresult (*)(const char*)>("stoker_emulator_fails")(why.c_str());
}

double read(const char* at, NcclType type) {
  const auto as = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type) {
    case NcclType::int8:
      return as(int8_t{});
    case NcclType::uint8:
      return as(uint8_t{});
    case NcclType::int32:
      return as(int32_t{});
    case NcclType::uint32:
      return as(uint32_t{});
    case NcclType::int64:
      return static_cast<double>(as(int64_t{}));
    case NcclType::uint64:
      return static_cast<double>(as(uint64_t{}));
    case NcclType::float16:
      return float16_to_float(as(uint16_t{}));
    case NcclType::bfloat16:
      return bfloat16_to_float(as(uint16_t{}));
    case NcclType::float32:
      return as(float{});
    case NcclType::float64:
      break;
  }
  return as(double{});
}

void write(char* to, NcclType type, double value) {
  const auto put = [to](auto converted) { std::memcpy(to, &converted, sizeof converted); };
  switch (type) {
    case NcclType::int8:
      return put(static_cast<int8_t>(value));
    case NcclType::uint8:
      return put(static_cast<uint8_t>(value));
    case NcclType::int32:
      return put(static_cast<int32_t>(value));
    case NcclType::uint32:
      return put(static_cast<uint32_t>(value));
    case NcclType::int64:
      return put(static_cast<int64_t>(value));
    case NcclType::uint64:
      return put(static_cast<uint64_t>(value));
    case NcclType::float16:
      return put(float_to_float16(static_cast<float>(value)));
    case NcclType::bfloat16:
      return put(float_to_bfloat16(static_cast<float>(value)));
    case NcclType::float32:
      return put(static_cast<float>(value));
    case NcclType::float64:
      return put(value);
  }
}

// A collective with its buffers.
struct Collective {
  GroupCall call{};
  const char* from;
  char* to;
  int64_t previous = -1;  // the recorded call before this one in the same graph

  size_t width() const { return widths[call.type]; }
  size_t bytes() const { return call.count * width(); }
  bool gathers() const { return std::strcmp(call.name, "ncclAllGather") == 0; }
  bool reduces() const { return std::strcmp(call.name, "ncclAllReduce") == 0; }
};

// Of `bytes` of all ranks, `done` bytes behind the beginning of each.
void combine(const Collective& c, const emulator::NcclGroup& group, size_t done, size_t bytes) {
  const auto type = static_cast<NcclType>(c.call.type);
  if (c.gathers())
    for (int rank = 0; rank < group.size(); ++rank)
      std::memcpy(c.to + static_cast<size_t>(rank) * c.bytes() + done, group.piece(rank), bytes);
  else if (!c.reduces())
    std::memcpy(c.to + done, group.piece(c.call.root), bytes);
  else
    for (size_t i = 0; i < bytes; i += c.width()) {
      double sum = read(group.piece(0) + i, type);
      for (int rank = 1; rank < group.size(); ++rank) {
        const double next = read(group.piece(rank) + i, type);
        sum = static_cast<NcclOp>(c.call.op) == NcclOp::maximum ? std::max(sum, next) : sum + next;
      }
      write(c.to + done + i, type, sum);
    }
}

std::string run(emulator::NcclGroup& group, const Collective& c) {
  for (size_t done = 0; done < c.bytes(); done += emulator::piece_bytes) {
    const size_t bytes = std::min(c.bytes() - done, emulator::piece_bytes);
    std::memcpy(group.piece(group.rank()), c.from + done, bytes);
    if (std::string why = group.meet(c.call); !why.empty()) return why;
    combine(c, group, done, bytes);
    if (std::string why = group.part(); !why.empty()) return why;
  }
  return "";
}

CUresult replay(ncclComm& comm, const Collective& c) {
  if (!comm.group) return driver_fails("a graph uses a communicator that was destroyed");
  if (c.previous >= 0 && comm.replayed != c.previous)
    return driver_fails(
        fmt::format("rank {}: call {} of a graph runs before call {}, which was recorded first",
                    comm.group->rank(), c.call.recorded, c.previous));
  comm.replayed = c.call.recorded;
  const std::string why = run(*comm.group, c);
  return why.empty() ? CUDA_SUCCESS : driver_fails(why);
}

NcclResult record(ncclComm& comm, Collective c, CUstream stream) {
  c.call.recorded = comm.recorded++;
  const int64_t graph = stream->recording->number;
  if (std::exchange(comm.graph, graph) == graph) c.previous = comm.latest;
  comm.latest = c.call.recorded;
  EmulatedCall call = [&comm, c, alive = comm.graphs] { return replay(comm, c); };
  using Enqueue = CUresult (*)(CUstream, EmulatedCall*);
  of_driver<Enqueue>("stoker_emulator_enqueue")(stream, &call);
  return NcclResult::success;
}

NcclResult perform(ncclComm* comm, const Collective& c, CUstream stream) {
  if (!comm || !comm->group)
    return fail(invalid_argument, fmt::format("{} after the communicator's end", c.call.name));
  if (stream->recording) return record(*comm, c, stream);
  const std::string why = run(*comm->group, c);
  return why.empty() ? NcclResult::success : fail(invalid_usage, why);
}

NcclResult enqueue(const char* name, const void* from, void* to, size_t count, NcclType type,
                   NcclOp op, int root, ncclComm* comm, CUstream stream) {
  Collective c{.from = static_cast<const char*>(from), .to = static_cast<char*>(to)};
  std::strncpy(c.call.name, name, sizeof c.call.name - 1);
  c.call.count = count;
  c.call.type = static_cast<int32_t>(type);
  c.call.op = static_cast<int32_t>(op);
  c.call.root = root;
  c.call.recorded = -1;
  const size_t out =
      c.bytes() *
      (c.gathers() && comm && comm->group ? static_cast<size_t>(comm->group->size()) : 1);
  if (!is_on_device(from, c.bytes()) || !is_on_device(to, out)) {
    if (groups > 0) group_status = invalid_argument;
    return fail(invalid_argument,
                fmt::format("{} of {} bytes from {} to {}, which is no memory of the GPU", name,
                            c.bytes(), from, to));
  }
  if (groups == 0) return perform(comm, c, stream);
  waiting.push_back([=] { return perform(comm, c, stream); });
  return NcclResult::success;
}

}  // namespace

extern "C" {

void stoker_emulates_nccl() {}

NcclResult ncclGetVersion(int* version) {
  const char* const given = std::getenv("STOKER_EMULATED_NCCL");
  *version = given ? std::atoi(given) : 23000;
  return NcclResult::success;
}
const char* ncclGetErrorString(NcclResult status) {
  return status == NcclResult::success ? "no error" : "error";
}
const char* ncclGetLastError(ncclComm*) { return failure.c_str(); }

NcclResult ncclGetUniqueId(NcclId* id) try {
  const std::string path = emulator::NcclGroup::make_id();
  id->bytes[path.copy(id->bytes, sizeof id->bytes - 1)] = 0;
  return NcclResult::success;
} catch (const std::exception& error) {
  return fail(invalid_usage, error.what());
}

// There is one GPU, so several ranks share it.
NcclResult ncclCommInitRank(ncclComm** comm, int size, NcclId id, int rank) try {
  if (rank < 0 || rank >= size || size > emulator::most_ranks)
    return fail(invalid_argument, fmt::format("rank {} of {}", rank, size));
  const char* const shares = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  if (size > 1 && !(shares && std::strcmp(shares, "1") == 0))
    return fail(invalid_usage, "several ranks on one GPU");
  auto made = std::make_unique<ncclComm>();
  made->group = std::make_unique<emulator::NcclGroup>(id.bytes, rank, size);
  *comm = made.release();
  return NcclResult::success;
} catch (const std::exception& error) {
  return fail(invalid_usage, error.what());
}

NcclResult ncclCommDestroy(ncclComm* comm) {
  if (!comm->group) return fail(invalid_argument, "a communicator is destroyed twice");
  if (comm->graphs.use_count() > 1)
    return fail(invalid_usage, "a communicator is destroyed before the graphs that use it");
  comm->group.reset();
  return NcclResult::success;
}
NcclResult ncclCommAbort(ncclComm* comm) {
  comm->group.reset();
  return NcclResult::success;
}

NcclResult ncclAllReduce(const void* from, void* to, size_t count, NcclType type, NcclOp op,
                         ncclComm* comm, CUstream stream) {
  return enqueue("ncclAllReduce", from, to, count, type, op, 0, comm, stream);
}
NcclResult ncclAllGather(const void* from, void* to, size_t count, NcclType type, ncclComm* comm,
                         CUstream stream) {
  return enqueue("ncclAllGather", from, to, count, type, NcclOp::sum, 0, comm, stream);
}
NcclResult ncclBroadcast(const void* from, void* to, size_t count, NcclType type, int root,
                         ncclComm* comm, CUstream stream) {
  return enqueue("ncclBroadcast", from, to, count, type, NcclOp::sum, root, comm, stream);
}

NcclResult ncclGroupStart() {
  ++groups;
  return NcclResult::success;
}
NcclResult ncclGroupEnd() {
  if (groups == 0) return fail(invalid_usage, "ncclGroupEnd without ncclGroupStart");
  if (--groups > 0) return NcclResult::success;
  const auto calls = std::exchange(waiting, {});
  if (const auto status = std::exchange(group_status, NcclResult::success);
      status != NcclResult::success)
    return status;
  for (const auto& call : calls)
    if (const NcclResult status = call(); status != NcclResult::success) return status;
  return NcclResult::success;
}

}  // extern "C"
