#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "core/host_name.h"
#include "distribution/collectives_interface.h"
#include "ranks/host_calls.h"
#include "ranks/id_address.h"
#include "ranks/id_file.h"
#include "ranks/join.h"
#include "ranks/wait_limit.h"

// Collectives for processes that were started without MPI: NCCL also transfers data outside the
// steps.
namespace stoker::cuda {
namespace {

std::string last_error, found_by;
HostCalls* calls = nullptr;  // never destroyed: the process ends with it
std::atomic<int64_t> step = -1;

// Prints the error and terminates this process; the launcher terminates the others, or they time
// out.
[[noreturn]] void end(int rank, int status, const std::string& message) {
  const std::string at =
      step < 0 ? "before its first step" : fmt::format("in step {}", step.load());
  std::fprintf(stderr, "stoker: rank %d on host %s %s: %s\n", rank, host_name().c_str(), at.c_str(),
               message.c_str());
  std::fflush(stderr);
  std::_Exit(status);
}

NcclId id_of_group(const StokerLaunch& launch) {
  NcclId id{};
  if (launch.rank == 0) check(nccl().get_unique_id(&id), "making an id of the group");
  if (launch.id_file)
    exchange_id(IdFile{launch.id_file, launch.rank, launch.size, launch.timeout_seconds}, id);
  else
    exchange_id(IdAddress{launch.address, launch.rank, launch.size, launch.timeout_seconds}, id);
  return id;
}

int32_t join(const StokerLaunch* launch) try {
  const Gpu& on = gpu(launch->device);
  if (const std::string why = why_no_nccl(on); !why.empty()) throw CudaError(why);
  const NcclId id = id_of_group(*launch);
  found_by = launch->id_file ? "a file" : launch->address;
  limit_waits(launch->timeout_seconds,
              [rank = launch->rank](const std::string& message) { end(rank, 1, message); });
  calls = new HostCalls(on, launch->rank, launch->size, id);
  return 0;
} catch (const std::exception& error) {
  last_error = error.what();
  return 1;
}

// None of these calls returns an error: a failure terminates the process.
template <class F>
void or_end(F body) {
  try {
    body();
  } catch (const std::exception& error) {
    end(calls->rank, 1, error.what());
  }
}

void leave() {
  lift_limit_of_waits();
  or_end([] { calls->barrier(); });
}

int32_t join_devices(int32_t device, double timeout_seconds, const StokerCollectives* ranks,
                     const char** by) try {
  static std::string text;
  if (ranks->size() > 1)
    limit_waits(timeout_seconds,
                [ranks](const std::string& message) { ranks->abort(1, message.c_str()); });
  join_ranks(gpu(device), *ranks);
  text = fmt::format("NCCL {} ({})", nccl_version_text(nccl().version), nccl().file);
  *by = text.c_str();
  return 0;
} catch (const std::exception& error) {
  last_error = error.what();
  return 1;
}

const char* description() {
  static const std::string text =
      fmt::format("NCCL {} and {}", nccl_version_text(nccl().version), found_by);
  return text.c_str();
}

const StokerCollectives table{
    .interface_version = stoker_collectives_interface,
    .name = "nccl",
    .join = join,
    .leave = leave,
    .rank = [] { return int32_t{calls->rank}; },
    .size = [] { return int32_t{calls->size}; },
    .description = description,
    .last_error = [] { return last_error.c_str(); },
    .all_reduce =
        [](const void* from, void* to, int64_t count, int32_t dtype) {
          or_end([&] { calls->all_reduce(from, to, count, static_cast<DType>(dtype)); });
        },
    .all_gather = [](const void* from, void* to,
                     uint64_t bytes) { or_end([&] { calls->all_gather(from, to, bytes); }); },
    .broadcast = [](void* data, uint64_t bytes,
                    int32_t root) { or_end([&] { calls->broadcast(data, bytes, root); }); },
    .barrier = [] { or_end([] { calls->barrier(); }); },
    .abort = [](int32_t status, const char* message) { end(calls->rank, status, message); },
    .set_step = [](int64_t now) { step = now; },
    .join_devices = join_devices};

}  // namespace
}  // namespace stoker::cuda

extern "C" __attribute__((visibility("default"))) const StokerCollectives* stoker_collectives(
    uint32_t) {
  return &stoker::cuda::table;
}
