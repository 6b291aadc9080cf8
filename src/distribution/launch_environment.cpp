#include "distribution/launch_environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
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
    throw InvalidArgument(fmt::format("{} is \"{}\", which is no number of a process.", name, text),
                          "unset it, or start the program by mpirun or stoker launch.");
  return value;
}

LaunchEnvironment checked(int rank, int size, std::string source) {
  if (size < 1 || rank >= size)
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

// {"cluster": {"worker": ["host:port", …]}, "task": {"type": "worker", "index": 0}}
Found by_tf_config(const GetVariable& get) {
  const char* const text = get("TF_CONFIG");
  if (!text || !*text) return std::nullopt;
  const Config config = parse_json(text);
  const Config* const cluster = config.find("cluster");
  const Config* const task = config.find("task");
  if (!cluster || !task) return std::nullopt;
  const Config *const type = task->find("type"), *const index = task->find("index");
  if (!type || !index)
    throw InvalidArgument("TF_CONFIG has a \"task\" without \"type\" or \"index\".");
  // A chief is the first process, followed by the workers.
  int rank = static_cast<int>(index->as_int()), size = 0;
  for (const char* kind : {"chief", "worker"}) {
    const Config* const members = cluster->find(kind);
    if (!members) continue;
    if (type->as_string() == "worker" && std::string_view(kind) == "chief")
      rank += static_cast<int>(members->as_list().size());
    size += static_cast<int>(members->as_list().size());
  }
  return checked(rank, size, "TF_CONFIG's cluster and task");
}

bool contradict(const LaunchEnvironment& a, const LaunchEnvironment& b) {
  return a.rank != b.rank || a.size != b.size;
}

}  // namespace

std::optional<LaunchEnvironment> read_launch_environment(const GetVariable& get) {
  std::vector<LaunchEnvironment> found;
  const auto add = [&](const Found& one) {
    if (one) found.push_back(*one);
  };
  add(by_numbers(get, "KERAS_DISTRIBUTION_PROCESS_ID", "KERAS_DISTRIBUTION_NUM_PROCESSES"));
  add(by_numbers(get, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"));
  add(by_numbers(get, "PMI_RANK", "PMI_SIZE"));
  add(by_numbers(get, "RANK", "WORLD_SIZE"));
  // Only srun sets the variables of a step; a batch script's own shell has only those of the job,
  // and is a single process. mpirun starts its daemons as a step, so other launchers take
  // precedence.
  if (found.empty()) add(by_numbers(get, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"));
  add(by_tf_config(get));
  if (found.empty()) return std::nullopt;
  for (const LaunchEnvironment& other : found)
    if (contradict(found[0], other))
      throw InvalidArgument(
          fmt::format("{} say that this is process {} of {}, but {} say process {} of {}.",
                      found[0].source, found[0].rank, found[0].size, other.source, other.rank,
                      other.size),
          "unset the variables of the launcher that did not start this program.");
  return found[0];
}

}  // namespace stoker::distribution
