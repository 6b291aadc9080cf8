#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "call_times.h"
#include "distribution/collectives_interface.h"
#include "sums.h"
#include "watch.h"

// The table of functions that the engine sees.
namespace stoker::mpi {
namespace {

constexpr int64_t most_at_once = int64_t{1} << 30;  // MPI counts in int
constexpr size_t host_bytes = 64;

std::string last_error;
std::unique_ptr<Watch> watch;
std::unique_ptr<CallTimes> times;

std::vector<std::string> host_names(int size) {
  char own[host_bytes] = {};
  if (::gethostname(own, sizeof own - 1) != 0) std::strcpy(own, "unknown");
  std::vector<char> all(static_cast<size_t>(size) * host_bytes);
  MPI_Allgather(own, host_bytes, MPI_BYTE, all.data(), host_bytes, MPI_BYTE, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (size_t i = 0; i < all.size(); i += host_bytes) names.emplace_back(all.data() + i);
  return names;
}

int32_t join(const StokerLaunch* launch) {
  int started = 0, provided = MPI_THREAD_SINGLE, size = 1;
  MPI_Initialized(&started);
  if (started)
    MPI_Query_thread(&provided);
  else if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return last_error = "MPI_Init_thread failed.", 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  watch = std::make_unique<Watch>(launch->timeout_seconds, host_names(size),
                                  provided == MPI_THREAD_MULTIPLE);
  times = std::make_unique<CallTimes>();
  return 0;
}

void leave() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended || !watch) return;
  watch.reset();  // rank 0 may take as long as it needs to save
  MPI_Finalize();
}

const char* description() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    return std::string(version, std::strcspn(version, ",\n"));
  }();
  return text.c_str();
}

void all_reduce(const void* from, void* to, int64_t count, int32_t dtype) {
  const Waiting waiting(*watch);
  const auto begin = std::chrono::steady_clock::now();
  const Sum sum = sum_of(static_cast<DType>(dtype));
  const auto width = static_cast<int64_t>(size_of(static_cast<DType>(dtype)));
  for (int64_t done = 0; done < count; done += most_at_once) {
    const void* const part = static_cast<const char*>(from) + done * width;
    MPI_Allreduce(from == to ? MPI_IN_PLACE : part, static_cast<char*>(to) + done * width,
                  static_cast<int>(std::min(count - done, most_at_once)), sum.type, sum.add,
                  MPI_COMM_WORLD);
  }
  times->add(std::chrono::steady_clock::now() - begin);
}

StokerCallTimes call_times(int32_t settle) {
  if (settle) {
    const Waiting waiting(*watch);
    times->settle();
  }
  return times->so_far();
}

void all_gather(const void* from, void* to, uint64_t bytes) {
  const Waiting waiting(*watch);
  MPI_Allgather(from, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(bytes), MPI_BYTE,
                MPI_COMM_WORLD);
}

void broadcast(void* data, uint64_t bytes, int32_t root) {
  const Waiting waiting(*watch);
  for (uint64_t done = 0; done < bytes; done += most_at_once)
    MPI_Bcast(static_cast<char*>(data) + done,
              static_cast<int>(std::min<uint64_t>(bytes - done, most_at_once)), MPI_BYTE, root,
              MPI_COMM_WORLD);
}

void barrier() {
  const Waiting waiting(*watch);
  MPI_Barrier(MPI_COMM_WORLD);
}

int32_t rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}
int32_t size() {
  int value = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

// Errors common to all ranks are found by each: rank 0 reports them and terminates the others,
// which wait for that, ignoring signals.
void abort_all(int32_t status, const char* message) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (rank() != 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::fprintf(stderr, "stoker: %s: %s\n", watch ? watch->where().c_str() : "a rank", message);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

const StokerCollectives table{.interface_version = stoker_collectives_interface,
                              .name = "mpi",
                              .join = join,
                              .leave = leave,
                              .rank = rank,
                              .size = size,
                              .description = description,
                              .last_error = [] { return last_error.c_str(); },
                              .all_reduce = all_reduce,
                              .all_gather = all_gather,
                              .broadcast = broadcast,
                              .barrier = barrier,
                              .abort = abort_all,
                              .set_step = [](int64_t step) { watch->set_step(step); },
                              .call_times = call_times};

}  // namespace
}  // namespace stoker::mpi

extern "C" __attribute__((visibility("default"))) const StokerCollectives* stoker_collectives(
    uint32_t) {
  return &stoker::mpi::table;
}
