#include "observe/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "observe/figures.h"
#include "observe/why_rules.h"
#include "stoker/error.h"

namespace stoker::observe {
namespace {

std::string subject_of(const Recording& recording, const Roles& roles,
                       const ledger::Figures& figures) {
  std::string on = figures.find("gpus_used") ? "uses no GPU" : "whether it uses a GPU is hidden";
  for (const GpuSample& gpu : recording.samples.back().gpus)
    if (gpu.index == roles.gpu) on = fmt::format("on GPU {} ({})", gpu.index, gpu.name);
  const std::string who = fmt::format("process {} ({})", recording.pid, recording.command);
  const auto count = static_cast<int64_t>(figures.find("processes").value_or(1));
  const std::string how = fmt::format("{} process{}, watched for {}", count, count == 1 ? "" : "es",
                                      figures.text("seconds"));
  if (!recording.no_gpu.empty())
    return fmt::format("No GPU is watched ({}): this is what {} does on the CPU; {}",
                       recording.no_gpu, who, how);
  return fmt::format("{}: {}; {}", who, on, how);
}

std::vector<std::string> notes_of(const Recording& recording, const Roles& roles,
                                  const ledger::Figures& figures) {
  std::vector<std::string> notes;
  if (!recording.ended.empty()) notes.push_back(recording.ended);
  if (roles.main != recording.pid && roles.main != 0)
    notes.push_back(fmt::format("The program itself is process {}, which it started.", roles.main));
  if (roles.matched_by_files)
    notes.push_back(
        "NVML does not list the process by its number here (a container): the GPU is the one it "
        "has open, and what others take of it is not known.");
  if (figures.find("gpu_busy") && !figures.find("sm_active"))
    notes.push_back("This GPU or driver does not tell the activity of its multiprocessors (GPM).");
  return notes;
}

Config figures_config(const ledger::Figures& figures) {
  Config map = Config::map();
  for (const auto& figure : figures.all()) map[figure.name] = figure.value;
  return map;
}

WhyCause cause_of(const ledger::Verdict& verdict) {
  return {.cause = verdict.cause,
          .sentence = verdict.sentence,
          .remedy = verdict.remedy,
          .evidence = verdict.evidence,
          .at_most = verdict.bound};
}

}  // namespace

Recording without_start(const Recording& recording) {
  const Roles roles = roles_of(recording);
  Recording rest = recording;
  if (roles.gpu < 0) return rest;
  const auto uses = [&](const Sample& sample) {
    const auto main = std::ranges::find(sample.processes, roles.main, &ProcessSample::pid);
    if (main != sample.processes.end() && !main->gpu_files.empty()) return true;
    return std::ranges::any_of(sample.gpus, [&](const GpuSample& gpu) {
      return std::ranges::find(gpu.processes, roles.main, &GpuProcess::pid) != gpu.processes.end();
    });
  };
  const auto first = std::ranges::find_if(rest.samples, uses);
  if (rest.samples.end() - first >= 2) rest.samples.erase(rest.samples.begin(), first);
  return rest;
}

WhyAnswer explain(const Recording& whole) {
  const Recording recording = without_start(whole);
  if (recording.samples.size() < 2 ||
      recording.samples.back().time <= recording.samples.front().time)
    throw InvalidArgument(
        fmt::format("process {} ended before it could be watched.", recording.pid),
        "stoker why -- COMMAND watches a program from its start.");
  const ledger::Figures figures = figures_of(recording);
  const Roles roles = roles_of(recording);
  WhyAnswer answer{.subject = subject_of(recording, roles, figures),
                   .notes = notes_of(recording, roles, figures),
                   .figures = figures_config(figures)};
  for (const auto& verdict : ledger::judge(why_rules(), figures))
    answer.causes.push_back(cause_of(verdict));
  if (answer.causes.size() > 1) answer.causes.pop_back();  // "unexplained" always holds
  return answer;
}

}  // namespace stoker::observe
