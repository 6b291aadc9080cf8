#include "launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <thread>

#include "at_least.h"
#include "command.h"
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

struct LaunchOptions {
  int processes = 1;
  std::vector<std::string> command;
};

}  // namespace

void launch(int processes, const std::vector<std::string>& command) {
  if (distribution::num_processes() > 1)
    throw InvalidArgument(
        fmt::format("this is one of {} processes already, and cannot start {} more.",
                    distribution::num_processes(), processes),
        "leave out mpirun, or --processes.");
  std::vector<std::string> words{
      "mpirun", "-n", std::to_string(processes), "--oversubscribe", "--bind-to", "none", "--quiet"};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  set_variables(processes);
  ::execvp(arguments[0], arguments.data());
  throw InvalidArgument(
      fmt::format("mpirun cannot be started: {}.", std::strerror(errno)),
      "several processes find each other through MPI (Debian: apt-get install openmpi-bin).");
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
      "batch_size stays the size of the whole batch. On several machines use mpirun --host, or "
      "what "
      "the site has (docs/distribution.md).");
  command->callback([options] { launch(options->processes, options->command); });
}

}  // namespace stoker::cli
