#include "distribution/launch_environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "stoker/config.h"
#include "stoker/error.h"
#include "stoker/io.h"

namespace stoker::distribution {
namespace {

int number(const char* name, const char* text) {
  int value = -1;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 0)
    throw InvalidArgument(fmt::format("{} is \"{}\", which is not a process number.", name, text),
                          "unset it, or start the program by mpirun or stoker launch.");
  return value;
}

LaunchEnvironment checked(int rank, int size, std::string source) {
  if (rank < 0 || rank >= size)
    throw InvalidArgument(
        fmt::format("{} say that this is process {} of {}.", source, rank, size),
        "processes are numbered from 0 on: the rank must be smaller than the number of them.");
  return {rank, size, std::move(source)};
}

using Found = std::optional<LaunchEnvironment>;

Found by_numbers(const GetVariable& get, const char* rank, const char* size) {
  const char *const r = get(rank), *const n = get(size);
  if (!r || !n) return std::nullopt;
  return checked(number(rank, r), number(size, n), fmt::format("{} and {}", rank, size));
}

// The first of "host:port,host:port".
std::string first_address(const char* addresses) {
  const std::string_view text = addresses ? addresses : "";
  const std::string_view first = text.substr(0, text.find(','));
  return first.find(':') == std::string_view::npos ? "" : std::string(first);
}

constexpr const char* keras_id = "KERAS_DISTRIBUTION_PROCESS_ID";
constexpr const char* keras_count = "KERAS_DISTRIBUTION_NUM_PROCESSES";
constexpr const char* keras_addresses = "KERAS_DISTRIBUTION_JOB_ADDRESSES";

std::optional<int> argument(std::optional<int> given, const GetVariable& get,
                            const char* variable) {
  const char* const text = given ? nullptr : get(variable);
  return text ? number(variable, text) : given;
}

[[noreturn]] void refuse_half(bool in_program, bool has_id) {
  const char* const missing = has_id ? keras_count : keras_id;
  if (in_program)
    throw InvalidArgument(
        fmt::format("initialize() was called without {}.", has_id ? "num_processes" : "process_id"),
        fmt::format("give num_processes and process_id together, or set {}.", missing));
  throw InvalidArgument(
      fmt::format("{} is set, but {} is not.", has_id ? keras_id : keras_count, missing),
      "set both of them, or neither.");
}

// If only one of the two is given, the other one is the launcher's: the first of those found.
Found by_keras(const GetVariable& get, const InitializeArgs& args,
               const std::vector<LaunchEnvironment>& launchers) {
  const std::optional<int> id = argument(args.process_id, get, keras_id),
                           count = argument(args.num_processes, get, keras_count);
  if (!id && !count) return std::nullopt;
  const bool in_program = args.process_id || args.num_processes;
  const std::string source = in_program ? "the arguments of initialize()"
                             : id && count
                                 ? fmt::format("{} and {}", keras_id, keras_count)
                                 : fmt::format("{} and the launcher", id ? keras_id : keras_count);
  if (id && count) return checked(*id, *count, source);
  if (!launchers.empty())
    return checked(id.value_or(launchers[0].rank), count.value_or(launchers[0].size), source);
  const bool is_alone = id.value_or(0) == 0 && count.value_or(1) == 1;
  if (in_program || !is_alone) refuse_half(in_program, id.has_value());
  return std::nullopt;
}

bool keras_says_both(const GetVariable& get, const InitializeArgs& args) {
  return (args.process_id || get(keras_id)) && (args.num_processes || get(keras_count));
}

Config::List members_of(const Config& cluster, const char* kind) {
  const Config* const members = cluster.find(kind);
  return members ? members->as_list() : Config::List();
}

// A chief is the first process, followed by the workers.
LaunchEnvironment of_tf_task(const Config& cluster, const Config& task) {
  const Config *const type = task.find("type"), *const index = task.find("index");
  if (!type || !index) throw InvalidArgument("\"task\" has no \"type\" or no \"index\".");
  Config::List all = members_of(cluster, "chief");
  const Config::List workers = members_of(cluster, "worker");
  const bool is_chief = type->as_string() == "chief";
  if (!is_chief && type->as_string() != "worker")
    throw InvalidArgument(fmt::format("the task's \"type\" is {}.", type->to_string()),
                          "a chief and workers train together; start no other tasks.");
  const auto before = is_chief ? 0 : std::ssize(all);
  const auto count = is_chief ? std::ssize(all) : std::ssize(workers);
  if (index->as_int() < 0 || index->as_int() >= count)
    throw InvalidArgument(fmt::format("the task is {} {}, but the cluster has {}.",
                                      type->as_string(), index->as_int(), count),
                          "tasks of a type are numbered from 0 on.");
  all.insert(all.end(), workers.begin(), workers.end());
  return {static_cast<int>(before + index->as_int()), static_cast<int>(all.size()),
          "TF_CONFIG's cluster and task", first_address(all[0].as_string().c_str())};
}

// {"cluster": {"worker": ["host:port", …]}, "task": {"type": "worker", "index": 0}}
Found by_tf_config(const GetVariable& get) {
  const char* const text = get("TF_CONFIG");
  if (!text || !*text) return std::nullopt;
  const Config config = parse_json(text, "TF_CONFIG");
  const Config *const cluster = config.find("cluster"), *const task = config.find("task");
  if (!cluster || !task) return std::nullopt;
  try {
    return of_tf_task(*cluster, *task);
  } catch (InvalidArgument& error) {
    error.add_where("the environment variable TF_CONFIG");
    throw;
  }
}

// Processes that MPI has started find each other through it.
bool is_of_mpi(const GetVariable& get) {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (get(name)) return true;
  return false;
}

std::string master_address(const GetVariable& get) {
  const char *const host = get("MASTER_ADDR"), *const port = get("MASTER_PORT");
  if (!host || !*host || !port) return "";
  constexpr int last_port = 65535;
  int at = 0;
  const char* const end = port + std::strlen(port);
  const auto [stop, error] = std::from_chars(port, end, at);
  // torchrun's agent listens at that port itself.
  const char* const agent = get("TORCHELASTIC_USE_AGENT_STORE");
  const bool is_taken = agent && std::string_view(agent) == "True";
  if (error != std::errc() || stop != end || at < 1 || at + is_taken > last_port)
    throw InvalidArgument(fmt::format("MASTER_PORT is \"{}\", which is no port.", port),
                          "ports are numbers from 1 to 65535.");
  const bool is_ipv6 = std::strchr(host, ':') && *host != '[';
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", at + is_taken);
}

// The first that is set, in the order of the groups; TF_CONFIG is the last of them.
std::string address_of_first(const GetVariable& get, const InitializeArgs& args,
                             const std::vector<LaunchEnvironment>& found) {
  if (is_of_mpi(get)) return "";
  for (const char* const addresses : {args.job_addresses.c_str(), get(keras_addresses)})
    if (std::string keras = first_address(addresses); !keras.empty()) return keras;
  std::string master = master_address(get);
  return master.empty() ? found.back().address : master;
}

bool contradict(const LaunchEnvironment& a, const LaunchEnvironment& b) {
  return a.rank != b.rank || a.size != b.size;
}

}  // namespace

std::optional<LaunchEnvironment> read_launch_environment(const GetVariable& get,
                                                         const InitializeArgs& args) {
  std::vector<LaunchEnvironment> found;
  const auto add = [&](const Found& one) {
    if (one) found.push_back(*one);
  };
  add(by_numbers(get, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"));
  add(by_numbers(get, "PMI_RANK", "PMI_SIZE"));
  add(by_numbers(get, "RANK", "WORLD_SIZE"));
  // Only srun sets the variables of a step; a batch script's own shell has only those of the job,
  // and is a single process. mpirun starts its daemons as a step, so other launchers take
  // precedence.
  if (found.empty() && !keras_says_both(get, args))
    add(by_numbers(get, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"));
  add(by_tf_config(get));
  if (const Found keras = by_keras(get, args, found)) found.insert(found.begin(), *keras);
  if (found.empty()) return std::nullopt;
  for (const LaunchEnvironment& other : found)
    if (contradict(found[0], other))
      throw InvalidArgument(
          fmt::format("{} say that this is process {} of {}, but {} say process {} of {}.",
                      found[0].source, found[0].rank, found[0].size, other.source, other.rank,
                      other.size),
          "unset the variables of the launcher that did not start this program.");
  found[0].address = address_of_first(get, args, found);
  return found[0];
}

}  // namespace stoker::distribution
