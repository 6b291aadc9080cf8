#include "launch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "at_least.h"
#include "child.h"
#include "command.h"
#include "interrupt.h"
#include "local_ranks.h"
#include "stoker/device.h"
#include "stoker/distribution.h"
#include "stoker/error.h"

namespace stoker::cli {
namespace {

// Variables that are already set are kept.
void set_variables(int processes) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  ::setenv("STOKER_NUM_THREADS", std::to_string(std::max(1, cores / processes)).c_str(), 0);
  if (::geteuid() != 0) return;  // mpirun refuses to run as root without these
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

// mpirun gives its processes a second after SIGTERM or Ctrl-C, which may be shorter than a step.
// It forwards SIGUSR1 without terminating them.
void forward_signals(Child& mpirun) {
  for (bool sent = false; !mpirun.ended();
       std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (was_interrupted() && !std::exchange(sent, true)) mpirun.signal(SIGUSR1);
}

bool is_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

// NCCL needs no MPI.
bool computes_on_gpus() {
  const char* const device = std::getenv("STOKER_DEVICE");
  const std::string_view name = device ? device : "";
  if (name.find("cpu") != name.npos || name.find("CPU") != name.npos) return false;
  return !list_physical_devices("GPU").empty();
}

struct LaunchOptions {
  int processes = 1;
  std::vector<std::string> command;
};

}  // namespace

int launch(int processes, const std::vector<std::string>& command) {
  if (distribution::num_processes() > 1)
    throw InvalidArgument(
        fmt::format("this is one of {} processes already, and cannot start {} more.",
                    distribution::num_processes(), processes),
        "leave out mpirun, or --processes.");
  set_variables(processes);
  if (!is_in_path("mpirun") && computes_on_gpus()) return run_local_ranks(processes, command);
  std::vector<std::string> words{
      "mpirun", "-n", std::to_string(processes), "--oversubscribe", "--bind-to", "none", "--quiet"};
  words.insert(words.end(), command.begin(), command.end());
  try {
    Child mpirun(words, {}, Child::Group::own);
    forward_signals(mpirun);
    return mpirun.status();
  } catch (InvalidArgument& error) {
    error.set_hint(
        "several processes find each other through MPI (Debian: apt-get install openmpi-bin).");
    throw;
  }
}

void add_launch(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "launch",
                                  "start a program as several processes that train together");
  auto options = std::make_shared<LaunchOptions>();
  command->add_option("-n,--processes", options->processes, "number of processes")
      ->required()
      ->check(at_least(1));
  command->add_option("COMMAND", options->command, "the program and its arguments, after --")
      ->required()
      ->type_name("");
  command->footer(
      "Example:\n  stoker launch -n 4 -- build/examples/fashion_mnist\n\n"
      "The processes run on this machine, share its cores, and divide every batch among them: "
      "batch_size stays the size of the whole batch. They are started by mpirun; without it only "
      "on GPUs. On several machines use mpirun --host, or your cluster's launcher "
      "(docs/distribution.md).");
  command->callback([options, &invocation] {
    invocation.release_stdout();
    invocation.status = launch(options->processes, options->command);
  });
}

}  // namespace stoker::cli
