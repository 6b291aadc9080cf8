#include <fmt/format.h>
#include <unistd.h>

#include "observe/explain.h"
#include "observe/nvml.h"
#include "observe/sampler.h"
#include "stoker/error.h"
#include "stoker/why.h"

namespace stoker {

using namespace observe;

struct ProcessWatch::State {
  Nvml nvml;
  Sampler sampler;
  Recording recording;
  std::vector<std::string> notes;
  size_t skip = 1, taken = 0;  // every `skip`-th sample is kept

  explicit State(int64_t pid) : sampler(pid) {}
  void note_what_is_hidden(int64_t pid);
  void keep(Sample sample);
};

// Hours of observation take no more memory than ten minutes.
void ProcessWatch::State::keep(Sample sample) {
  constexpr size_t most = 2400;
  auto& samples = recording.samples;
  if (taken++ % skip == 0) samples.push_back(std::move(sample));
  if (samples.size() < most) return;
  for (size_t i = 1; i < samples.size() / 2; ++i) samples[i] = std::move(samples[2 * i]);
  samples.resize(samples.size() / 2);
  skip *= 2;
}

void ProcessWatch::State::note_what_is_hidden(int64_t pid) {
  const Proc& proc = sampler.proc();
  if (!proc.readable(pid))
    notes.push_back(
        fmt::format("It belongs to user {}: what it reads from storage and which GPU files it has "
                    "open is not visible from here. Hint: run stoker as that user or as root.",
                    proc.user(pid)));
  if (const int64_t inside = proc.pid_inside(pid); inside != pid)
    notes.push_back(
        fmt::format("It lives in a container, where its number is {}; cores and memory are those "
                    "of its cgroup.",
                    inside));
}

ProcessWatch::ProcessWatch(int64_t pid) : state_(std::make_unique<State>(pid)) {
  const Proc& proc = state_->sampler.proc();
  if (pid <= 0 || !proc.has(pid))
    throw InvalidArgument(
        fmt::format("there is no process {}.", pid),
        "ps -e lists them. Inside a container only its own processes are visible, by numbers of "
        "its own.");
  if (pid == getpid()) throw InvalidArgument("that is this program itself.");
  Recording& recording = state_->recording;
  recording.pid = pid;
  recording.command = proc.command(pid);
  recording.no_gpu = state_->nvml.failure();
  state_->note_what_is_hidden(pid);
}

ProcessWatch::~ProcessWatch() = default;
ProcessWatch::ProcessWatch(ProcessWatch&&) noexcept = default;

bool ProcessWatch::sample() {
  Sample sample = state_->sampler.take(state_->nvml.sample());
  Recording& recording = state_->recording;
  if (!sample.processes.empty()) {
    // A child that was just started still has its parent's name.
    recording.command = sample.processes.front().command;
    state_->keep(std::move(sample));
    return true;
  }
  if (recording.ended.empty() && !recording.samples.empty())
    recording.ended =
        fmt::format("It ended after {:.1f} s.", sample.time - recording.samples.front().time);
  return false;
}

WhyAnswer ProcessWatch::answer() const {
  WhyAnswer answer = explain(state_->recording);
  answer.notes.insert(answer.notes.begin(), state_->notes.begin(), state_->notes.end());
  return answer;
}

void ProcessWatch::save(const std::string& path) const { save_recording(path, state_->recording); }

WhyAnswer why_recorded(const std::string& path) { return explain(load_recording(path)); }

std::vector<WhyAnswer> why_demo() {
  std::vector<WhyAnswer> answers;
  for (const Scene& scene :
       {Scene{.command = "python starved.py",
       .main_busy = 0.08,
       .workers = 1,
       .worker_busy = 0.99,
       .gpu_busy = 0.22,
       .sm_active = 0.17},
        Scene{.command = "python loop.py", .main_busy = 1, .gpu_busy = 0.14, .sm_active = 0.05},
        Scene{.command = "python well_fed.py",
        .main_busy = 0.35,
        .workers = 8,
        .worker_busy = 0.4,
        .gpu_busy = 0.97,
        .sm_active = 0.93,
        .tensor_active = 0.45}})
    answers.push_back(explain(recording_of(scene)));
  return answers;
}

}  // namespace stoker
