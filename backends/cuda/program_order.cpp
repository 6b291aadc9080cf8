#include <map>
#include <utility>

#include "program.h"

// The dependencies between the calls of a step, and their translation to edges of a graph.
namespace stoker::cuda {

void Program::take_turns() {
  std::map<const void*, int32_t> first, latest;
  for (size_t c = 0; c < calls_.size(); ++c) {
    const auto follow = [&](const void* shared) {
      const auto call = static_cast<int32_t>(c);
      first.try_emplace(shared, call);
      const auto [entry, added] = latest.try_emplace(shared, call);
      if (!added && entry->second != call)
        calls_[c].after.push_back(std::exchange(entry->second, call));
    };
    if (calls_[c].kernel->handle) follow(calls_[c].kernel->handle);
    for (const auto& function : calls_[c].kernel->functions)
      if (function->counts_blocks()) follow(function.get());
  }
  for (const auto& [shared, call] : first)
    calls_[static_cast<size_t>(call)].after_previous.push_back(latest[shared]);
}

// A step begins when the previous one has ended; if steps overlap, when the one before that has
// ended. The last one uses the buffer from which results are read.
void Program::record_steps(Recording& recording, int64_t steps) {
  Encoder encoder(gpu_);
  Recording::Nodes previous, earlier;
  for (int64_t step = 0; step < steps; ++step) {
    // A slot is overwritten after its last reader has finished.
    const bool waits = encode_copies(encoder, step, steps) || step == 0 || !overlaps_;
    bind(step);
    const Recording::Nodes start = waits ? recording.latest() : earlier;
    earlier = waits ? start : previous;
    const auto buffer = overlaps_ ? static_cast<size_t>((steps - 1 - step) % 2) : size_t{0};
    previous =
        record_step(recording, encoder, buffer, waits ? Recording::Nodes{} : previous, start);
    recording.wait_for(previous);
  }
}

// A call that depends on the previous step waits for all of it: later calls then need no edge to
// that step, and a kernel starts earlier with fewer edges.
Recording::Nodes Program::record_step(Recording& recording, Encoder& encoder, size_t buffer,
                                      const Recording::Nodes& previous,
                                      const Recording::Nodes& start) {
  std::vector<Recording::Nodes> ends(calls_.size());
  std::vector<bool> awaited(calls_.size()), behind(calls_.size());
  for (size_t c = 0; c < calls_.size(); ++c) {
    Recording::Nodes nodes = calls_[c].after.empty() ? start : Recording::Nodes{};
    const auto add = [&](const Recording::Nodes& more) {
      nodes.insert(nodes.end(), more.begin(), more.end());
    };
    for (const int32_t earlier : calls_[c].after) {
      add(ends[static_cast<size_t>(earlier)]);
      awaited[static_cast<size_t>(earlier)] = true;
      if (behind[static_cast<size_t>(earlier)]) behind[c] = true;
    }
    if (!behind[c] && !calls_[c].after_previous.empty()) {
      add(previous);
      behind[c] = true;
    }
    recording.wait_for(std::move(nodes));
    encode(encoder, calls_[c], buffer);
    ends[c] = recording.latest();
  }
  Recording::Nodes last;
  for (size_t c = 0; c < calls_.size(); ++c)
    if (!awaited[c]) last.insert(last.end(), ends[c].begin(), ends[c].end());
  return last;
}

void Program::encode(Encoder& encoder, const Call& call, size_t buffer) {
  call.kernel->encode(encoder, arguments_[buffer].data() + call.first_argument,
                      call.workspaces[buffer]);
}

}  // namespace stoker::cuda
