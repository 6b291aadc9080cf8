#include "distribution/collectives.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash/fingerprint.h"
#include "core/host_name.h"
#include "core/main_process.h"
#include "device/plugin_file.h"
#include "device/registry.h"
#include "distribution/collectives_plugin.h"
#include "distribution/device_sums.h"
#include "distribution/launch_environment.h"
#include "distribution/self.h"
#include "distribution/share_machine.h"
#include "stoker/distribution.h"
#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker::distribution {
namespace {

std::atomic<const StokerCollectives*> joined = nullptr;
std::atomic<bool> in_group_of_one = false;  // by a scope

constexpr double default_timeout = 300;  // seconds

double timeout() {
  const char* const text = std::getenv("STOKER_DISTRIBUTION_TIMEOUT");
  if (!text) return default_timeout;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds > 0))
    throw InvalidArgument(fmt::format(
        "STOKER_DISTRIBUTION_TIMEOUT is \"{}\", which is not a number of seconds.", text));
  return seconds;
}

const char* id_file() { return std::getenv("STOKER_NCCL_ID_FILE"); }

// The GPU of this process if NCCL replaces MPI, for processes that were started without it.
std::optional<device::Device> gpu_of_nccl(const LaunchEnvironment& told) {
  if (!id_file() && told.address.empty()) return std::nullopt;
  share_machine();
  const device::Device device =
      device::Registry::global().default_device("distribution::initialize()");
  if (std::string_view(device.table().name) == "cuda") return device;
  if (!id_file()) return std::nullopt;
  throw DeviceError(
      fmt::format("STOKER_NCCL_ID_FILE is set, but {} is no GPU that NCCL serves.", device.name()),
      "without it processes find each other through MPI.");
}

const StokerCollectives& open_collectives(bool is_nccl) {
  const char* const name = is_nccl ? "cuda" : "mpi";
  const auto [path, tried] = device::find_plugin(name);
  if (path.empty())
    throw DeviceError(
        fmt::format("there is no libstoker_{}.so, without which several processes cannot train "
                    "together: none of {} exists.",
                    name, tried),
        is_nccl
            ? "`make cuda` builds it."
            : "install MPI (Debian: apt-get install openmpi-bin libopenmpi-dev) and build again.");
  // Parts of MPI that it loads itself look for its symbols.
  if (const auto* table = collectives_in(path, is_nccl ? RTLD_LOCAL : RTLD_GLOBAL)) return *table;
  throw DeviceError(fmt::format("{} has no stoker_collectives().", path),
                    "build both from the same sources.");
}

void check_group(const StokerCollectives& table, const LaunchEnvironment& told) {
  if (table.rank() == told.rank && table.size() == told.size) return;
  throw DeviceError(
      fmt::format("{} say that this is process {} of {}, but {} has started process {} of {}.",
                  told.source, told.rank, told.size, table.description(), table.rank(),
                  table.size()),
      "processes find each other through MPI: start them by mpirun, by srun --mpi=pmix, or by "
      "stoker launch.");
}

void join_others(const LaunchEnvironment& told) {
  const std::optional<device::Device> gpu = gpu_of_nccl(told);
  const StokerCollectives& table = open_collectives(gpu.has_value());
  const StokerLaunch launch{.rank = told.rank,
                            .size = told.size,
                            .device = gpu ? gpu->index : 0,
                            .timeout_seconds = timeout(),
                            .id_file = id_file(),
                            .address = told.address.c_str()};
  if (table.join(&launch) != 0)
    throw DeviceError(fmt::format("the processes do not find each other by {}: {}", table.name,
                                  table.last_error()));
  check_group(table, told);
  set_main_process(table.rank() == 0);
  joined = &table;
  share_machine();
  std::atexit(leave);
  say(stderr,
      fmt::format("stoker: {} processes, as {} say, by {}; threads each: {}.\n", table.size(),
                  told.source, table.description(), std::getenv("STOKER_NUM_THREADS")));
  connect_devices(timeout());
}

// For a later call of initialize(): its arguments must not contradict the first one's.
void check_joined(const InitializeArgs& args) {
  const int id = args.process_id.value_or(rank()), count = args.num_processes.value_or(size());
  if (id == rank() && count == size()) return;
  throw InvalidArgument(
      fmt::format(
          "initialize() was called for process {} of {}, but this is process {} of {} already.", id,
          count, rank(), size()),
      "call it once, before anything else.");
}

}  // namespace

const StokerCollectives& collectives() {
  const StokerCollectives* const table = joined.load(std::memory_order_acquire);
  return table ? *table : self_collectives();
}

Division division() { return {rank(), size()}; }
std::string who() { return fmt::format("rank {} of {} on host {}", rank(), size(), host_name()); }

bool is_group_of_one() {
  static const bool asked = [] {
    const char* const text = std::getenv("STOKER_GROUP_OF_ONE");
    return text && std::string_view(text) == "1";
  }();
  return (asked || in_group_of_one) && size() == 1;
}

// The ranks stay connected: the next scope reuses the group.
GroupOfOneScope::GroupOfOneScope() {
  static const bool connected = is_group_of_one() || connect_devices(timeout());
  in_steps_ = connected;
  in_group_of_one = true;
}
GroupOfOneScope::~GroupOfOneScope() { in_group_of_one = false; }

void join() { initialize({}); }

void initialize(const InitializeArgs& args) {
  static std::mutex mutex;
  static bool asked = false;
  const std::lock_guard lock(mutex);
  if (std::exchange(asked, true)) return check_joined(args);
  const auto told =
      read_launch_environment([](const char* name) { return std::getenv(name); }, args);
  if (told && told->size > 1)
    join_others(*told);
  else if (is_group_of_one())
    connect_devices(timeout());
}

void abort(int status, const std::string& message) {
  collectives().abort(status, message.c_str());
  std::_Exit(status);
}
void barrier() { collectives().barrier(); }
int process_id() { return rank(); }
int num_processes() { return size(); }

void leave() { collectives().leave(); }

void broadcast(std::span<std::byte> bytes) {
  collectives().broadcast(bytes.data(), bytes.size(), 0);
}

namespace {

// The value of that rank, on all ranks.
std::string text_of(int32_t rank, std::string own) {
  uint64_t length = own.size();
  collectives().broadcast(&length, sizeof length, rank);
  own.resize(length);
  collectives().broadcast(own.data(), length, rank);
  return own;
}

std::string around(const std::string& text, size_t at) {
  constexpr size_t before = 40, shown = 120;
  const size_t begin = at > before ? at - before : 0;
  return fmt::format("{}{}{}", begin > 0 ? "… " : "", text.substr(begin, shown),
                     begin + shown < text.size() ? " …" : "");
}

}  // namespace

void check_same(const std::string& what, const std::string& value) {
  const StokerCollectives& all = collectives();
  const uint64_t digest = fingerprint64(value);
  std::vector<uint64_t> digests(static_cast<size_t>(all.size()));
  all.all_gather(&digest, digests.data(), sizeof digest);
  const auto other =
      std::ranges::find_if(digests, [&](uint64_t one) { return one != digests[0]; }) -
      digests.begin();
  if (other == std::ssize(digests)) return;
  const std::string first = text_of(0, value),
                    differs = text_of(static_cast<int32_t>(other), value);
  const auto at = static_cast<size_t>(std::ranges::mismatch(first, differs).in1 - first.begin());
  throw InvalidArgument(
      fmt::format("{} of rank {} is not that of rank 0: \"{}\" instead of \"{}\".", what, other,
                  around(differs, at), around(first, at)),
      "all processes must run the same program on the same data with the same arguments.");
}

}  // namespace stoker::distribution
