#include "stoker/why.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "at_least.h"
#include "child.h"
#include "command.h"
#include "interrupt.h"
#include "stoker/error.h"
#include "stoker/say.h"
#include "why_kernels.h"

namespace stoker::cli {
namespace {

struct WhyOptions {
  std::vector<std::string> target;  // a PID, or a command
  double seconds = 5, interval = 0.25;
  std::string record, recording;
  bool demo = false, kernels = false;
};

constexpr const char* help = R"(Examples:
  stoker why 4711 --seconds 30
  stoker why -- python train.py --lr 3

A number is a process that runs; it is watched with all that it started. A command is run, and the
answer comes on stderr at its end or on Ctrl-C. It needs no root and changes nothing in the program.
docs/why.md has every cause and figure.
Exit status: 0 answered (a command: its own), 1 no such process, or it ended too soon.)";

std::optional<int64_t> as_pid(const std::vector<std::string>& target) {
  if (target.size() != 1) return std::nullopt;
  const std::string& text = target[0];
  int64_t pid = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return pid;
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// A file that cannot be written does not cost the answer.
WhyAnswer finish(const ProcessWatch& watch, const WhyOptions& options) {
  std::string lost;
  if (!options.record.empty()) try {
      watch.save(options.record);
    } catch (const IoError& error) {
      lost = fmt::format("The samples are not recorded: {}", error.what());
    }
  WhyAnswer answer = watch.answer();
  if (!lost.empty()) answer.notes.push_back(lost);
  return answer;
}

WhyAnswer watch_process(int64_t pid, const WhyOptions& options) {
  ProcessWatch watch(pid);
  const double interval = std::min(options.interval, options.seconds);  // at least two samples
  const auto rounds = static_cast<int64_t>(options.seconds / interval) + 1;
  for (int64_t i = 0; i < rounds && watch.sample() && !was_interrupted(); ++i)
    if (i + 1 < rounds) pause(interval);
  return finish(watch, options);
}

// A terminal sends Ctrl-C to the command, too; a signal sent to this program only is forwarded.
class PassOn {
 public:
  void look(const Child& child) {
    if (!was_interrupted()) return;
    constexpr int own_end = 4;  // rounds
    if (++rounds_ == own_end) child.signal(status_of_signal() - 128);
  }

 private:
  int rounds_ = 0;
};

using Kernels = std::optional<KernelWindows>;

void answer_for(const ProcessWatch& watch, const WhyOptions& options, const Kernels& kernels,
                const Invocation& invocation) {
  const WhyAnswer answer = finish(watch, options);
  Config found = answer.to_config();
  std::string text = answer.to_string();
  if (kernels) {
    found["kernels"] = kernels->to_config();
    text += "\n\n" + KernelWindows::to_text(*found.find("kernels"));
  }
  if (invocation.json)
    invocation.print(found, "");
  else  // not mixed with the command's own results
    say(stderr, text + "\n");
}

// The exit status is the command's.
int watch_command(const WhyOptions& options, const Invocation& invocation) {
  const Kernels kernels = options.kernels ? Kernels(std::in_place) : std::nullopt;
  Child child(options.target, kernels ? kernels->variables() : std::vector<std::string>{});
  try {
    ProcessWatch watch(child.pid());
    PassOn pass_on;
    for (; !child.ended(); pause(options.interval)) {
      watch.sample();
      pass_on.look(child);
    }
    watch.sample();
    answer_for(watch, options, kernels, invocation);
  } catch (const InvalidArgument&) {
    while (!child.ended()) pause(options.interval);
    const std::string message = "the command ended before it could be watched.";
    say(stderr, fmt::format("stoker: {}\n", message));
    if (invocation.json) invocation.print(Config::map({{"error", message}}), "");
  }
  return child.status();
}

void show_demo(const Invocation& invocation) {
  Config::List all;
  std::string text = "Simulated samples of three programs on an H200:";
  for (const WhyAnswer& answer : why_demo()) {
    all.push_back(answer.to_config());
    text += "\n\n" + answer.to_string();
  }
  invocation.print(Config::map({{"demo", all}}), text);
}

void run(const WhyOptions& options, Invocation& invocation) {
  if (options.demo) return show_demo(invocation);
  if (options.target.empty() && options.recording.empty())
    throw InvalidArgument("stoker why: which process?",
                          "stoker why PID, stoker why -- COMMAND, or stoker top for a list.");
  const auto print = [&](const WhyAnswer& answer) {
    invocation.print(answer.to_config(), answer.to_string());
  };
  if (!options.recording.empty()) return print(why_recorded(options.recording));
  const auto pid = as_pid(options.target);
  if (pid && options.kernels)
    throw InvalidArgument(
        "--kernels needs a command: a process that runs already cannot be traced.",
        "stoker why --kernels -- COMMAND");
  if (pid) return print(watch_process(*pid, options));
  invocation.status = watch_command(options, invocation);
}

}  // namespace

void add_why(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, invocation, "why", "find out why a running program leaves the GPU (or the CPU) idle");
  auto options = std::make_shared<WhyOptions>();
  command->add_option("PID", options->target, "number of a process, or -- and a command")
      ->type_name("");
  command->add_option("--seconds", options->seconds, "how long to watch a process (default: 5)")
      ->check(CLI::Range(0.1, 86400.0, "SECONDS"));
  command
      ->add_option("--interval", options->interval, "seconds between two samples (default: 0.25)")
      ->check(CLI::Range(0.02, 60.0, "SECONDS"));
  command->add_option("--record", options->record, "write the samples to this file, as JSON")
      ->type_name("FILE");
  command->add_option("--recording", options->recording, "answer from samples that --record wrote")
      ->type_name("FILE");
  command->add_flag("--kernels", options->kernels,
                    "trace a command's kernels and copies by CUPTI, two seconds in sixty");
  command->add_flag("--demo", options->demo, "show answers for simulated programs");
  command->footer(help);
  command->callback([options, &invocation] { run(*options, invocation); });
}

}  // namespace stoker::cli
