#include "nn/callbacks/tensor_board/xspace.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>

#include "io/protobuf.h"

namespace stoker::nn {
namespace {

using protobuf::field;

// XProf knows ops by "path:Type", a path without colons and a type in camel case:
// "dense:grad/batch_norm" → "dense/grad/batch_norm:BatchNorm".
std::string with_type(std::string call) {
  std::ranges::replace(call, ':', '/');
  std::string type;
  bool begins = true;
  for (const char c : call.substr(call.rfind('/') + 1)) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) type += begins ? static_cast<char>(std::toupper(letter)) : c;
    begins = !std::isalnum(letter);
  }
  const bool needs_letter = type.empty() || std::isdigit(static_cast<unsigned char>(type[0]));
  return call + (needs_letter ? ":Op" : ":") + type;
}

// Numbers for names, from 1 on, and the names as a map of a plane.
class Names {
 public:
  uint64_t operator[](const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size() + 1).first->second;
  }
  std::string fields(int number) const {
    std::string text;
    for (const auto& [name, id] : numbers_)
      text += field(number, field(1, id) + field(2, field(1, id) + field(2, name)));
    return text;
  }

 private:
  std::map<std::string, uint64_t> numbers_;
};

// tensorflow.profiler.XPlane: a device or the host, whose lines hold events in picoseconds.
class Plane {
 public:
  Plane(uint64_t id, const std::string& name, ledger::Time zero, ledger::Time since_1970)
      : head_(field(1, id) + field(2, name)), zero_(zero), since_1970_(since_1970) {}

  std::string number(const std::string& name, int64_t value) {
    return field(4, field(1, stats_[name]) + field(4, static_cast<uint64_t>(value)));
  }
  std::string text(const std::string& name, const std::string& value) {
    return field(4, field(1, stats_[name]) + field(5, value));
  }
  std::string event(const std::string& name, ledger::Time begin, ledger::Time end,
                    const std::string& stats = "") {
    const auto picoseconds = [](ledger::Time time) {
      return static_cast<uint64_t>(std::max<ledger::Time>(time, 0)) * 1000;
    };
    begin = std::max(begin, zero_);
    return field(4, field(1, events_[name]) + field(2, picoseconds(begin - zero_)) +
                        field(3, picoseconds(end - begin)) + stats);
  }
  void add_line(const std::string& name, const std::string& events) {
    lines_ += field(3, field(1, ++line_) + field(2, name) +
                           field(3, static_cast<uint64_t>(since_1970_)) + events);
  }
  std::string take() const { return head_ + lines_ + events_.fields(4) + stats_.fields(5); }

 private:
  std::string head_, lines_;
  ledger::Time zero_, since_1970_;
  uint64_t line_ = 0;
  Names events_, stats_;
};

// For each call the step that submitted it, from 1 on.
std::vector<int64_t> steps_of_calls(const ProfiledSteps& profile) {
  std::vector<int64_t> steps;
  int64_t step = 0;
  for (const device::Span& call : profile.calls) {
    const device::Span& first = profile.calls[0];
    if (call.node == first.node && call.name == first.name) ++step;
    steps.push_back(step);
  }
  return steps;
}

// Each step with the launch of its calls, and what the thread did meanwhile.
std::string training_thread(const ProfiledSteps& profile, Plane& host) {
  std::string events;
  for (size_t i = 0; i < profile.steps.size(); ++i) {
    const auto& step = profile.steps[i];
    const ledger::Time begin = step.handed_over, end = i + 1 < profile.steps.size()
                                                           ? profile.steps[i + 1].handed_over
                                                           : profile.end;
    events += host.event("train", begin, end,
                         host.number("step_num", step.number) + host.number("_r", 1));
    events += host.event("launch", begin, begin + 1,
                         host.number("correlation_id", static_cast<int64_t>(i) + 1));
  }
  for (const ledger::Event& event : profile.host)
    events += host.event(name_of(event.activity), event.begin, event.end);
  return events;
}

void add_feeders(const ProfiledSteps& profile, Plane& host) {
  std::map<std::thread::id, std::string> threads;
  for (const data::CallSpan& call : profile.feeders)
    threads[call.thread] += host.event(call.stage, call.begin, call.end);
  int64_t number = 0;
  for (const auto& [thread, events] : threads)
    host.add_line("feeder " + std::to_string(++number), events);
}

// Kernels of a GPU belong to the step whose launch has their correlation.
std::string kernels(const ProfiledSteps& profile, Plane& device) {
  const std::vector<int64_t> steps = steps_of_calls(profile);
  std::string events;
  for (size_t i = 0; i < profile.calls.size(); ++i) {
    const device::Span& call = profile.calls[i];
    events += device.event(
        call.name, call.begin, call.end,
        device.number("correlation_id", steps[i]) + device.text("tf_op", with_type(call.name)));
  }
  return events;
}

std::string calls_on_the_host(const ProfiledSteps& profile, Plane& host) {
  std::string events;
  for (const device::Span& call : profile.calls)
    events += host.event(with_type(call.name), call.begin, call.end);
  return events;
}

}  // namespace

std::string xspace(const ProfiledSteps& profile, const std::string& device,
                   const std::string& host_name) {
  const auto since_1970 = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const ledger::Time begun = since_1970.count() - (ledger::now() - profile.begin);
  Plane host(1, "/host:CPU", profile.begin, begun);
  host.add_line("training", training_thread(profile, host));
  add_feeders(profile, host);
  const std::string gpu = "/gpu:";
  std::string planes;
  if (device.starts_with(gpu)) {
    Plane of_device(2, "/device:GPU:" + device.substr(gpu.size()), profile.begin, begun);
    of_device.add_line("calls", kernels(profile, of_device));
    planes = field(1, of_device.take());
  } else {
    host.add_line("calls", calls_on_the_host(profile, host));
  }
  return field(1, host.take()) + planes + field(4, host_name);
}

}  // namespace stoker::nn
