#include <fmt/format.h>

#include "distribution/collectives_interface.h"
#include "ranks/host_calls.h"
#include "ranks/id_address.h"
#include "ranks/id_file.h"
#include "ranks/join.h"

// Collectives for processes that were started without MPI: NCCL also transfers data outside the
// steps.
namespace stoker::cuda {
namespace {

std::string last_error, found_by;
HostCalls* calls = nullptr;  // never destroyed: the process ends with it

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
  calls = new HostCalls(on, launch->rank, launch->size, id, launch->timeout_seconds);
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
    calls->end(1, error.what());
  }
}

int32_t join_devices(int32_t device, const StokerCollectives* ranks, const char** by) try {
  static std::string text;
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
    .leave = [] { or_end([] { calls->barrier(true); }); },
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
    .barrier = [] { or_end([] { calls->barrier(false); }); },
    .abort = [](int32_t status, const char* message) { calls->end(status, message); },
    .set_step = [](int64_t step) { calls->set_step(step); },
    .join_devices = join_devices};

}  // namespace
}  // namespace stoker::cuda

extern "C" __attribute__((visibility("default"))) const StokerCollectives* stoker_collectives(
    uint32_t) {
  return &stoker::cuda::table;
}
