#pragma once
#include <algorithm>
#include <optional>
#include <string_view>

#include "ledger/rule_table.h"

// Predicted step times after the change that a rule advises.
namespace stoker::ledger {

using Predicted = std::optional<Prediction>;

inline constexpr double uncertain = 0.15;  // of a prediction
// Fractions of a step. XProf calls 5 % of waiting for input moderate.
inline constexpr double worth_saying = 0.05, much = 0.3;
inline constexpr double each_step = 0.1;  // hooks per step: more than once an epoch

inline double of(const Figures& f, const char* name) { return f.find(name).value_or(0); }

inline Prediction likely(double seconds, double low) {
  return {seconds, std::min(seconds, low), seconds * (1 + uncertain)};
}

// A step without some of its parts; never negative.
template <class... Parts>
inline Predicted without(const Figures& f, Parts... parts) {
  const double rest = of(f, "step") - (of(f, parts) + ...);
  if (rest <= 0) return std::nullopt;
  return likely(rest, rest * (1 - uncertain));
}

// The waiting that remains if a step gets its input as in the trial of a fed step. Launching,
// copies and functions on the host are part of that trial's step.
inline constexpr const char* stays[] = {"input_seconds",     "metrics_seconds",
                                        "callbacks_seconds", "checkpoint_seconds",
                                        "compile_seconds",   "outside_seconds"};

// The same if a trial measured that step time. A device that becomes idle in every step loses more
// than the wait: launches and copies no longer overlap with its work, and the CPU works more
// slowly.
template <class... Parts>
inline Predicted tried_without(const Figures& f, const char* trial, Parts... parts) {
  const auto tried = f.find(trial);
  const Predicted left = without(f, parts...);
  if (!tried) return left;
  double rest = *tried;
  for (const std::string_view part : stays)
    if (((part != parts) && ...)) rest += f.find(part).value_or(0);
  // It exceeds the rest of this step only if the trial was disturbed.
  rest = std::min(rest, left ? left->likely : of(f, "step"));
  return likely(rest, std::min(*tried, rest * (1 - uncertain)));
}

inline Predicted no_input(const Figures& f) { return tried_without(f, "fed", "input_seconds"); }
// Steps on the CPU and its input share the cores.
inline Predicted all_threads(const Figures& f) {
  const Predicted fed = no_input(f);
  if (!fed) return fed;
  const double cores = std::max(of(f, "cores"), 1.0);
  const double shared = of(f, "on_host") > 0 ? of(f, "cores_used") * of(f, "step") / cores : 0;
  return likely(std::max({fed->likely, of(f, "all_threads"), shared}), fed->low);
}
// The batch is made during the previous step: the longer of the two determines the time.
inline Predicted overlapped(const Figures& f) {
  const double between = of(f, "between_seconds"), rest = of(f, "step") - between;
  return likely(std::max(rest, between), std::max(rest, between) * (1 - uncertain));
}
// Reading results between steps lets the device become idle, so that it also waits for the next
// launch.
inline Predicted no_hooks(const Figures& f) {
  return tried_without(f, "fed", "callbacks_seconds", "metrics_seconds", "launch_seconds");
}
inline Predicted no_checkpoint(const Figures& f) {
  if (of(f, "hooks") < each_step) return tried_without(f, "fed", "checkpoint_seconds");
  return tried_without(f, "fed", "checkpoint_seconds", "callbacks_seconds", "metrics_seconds",
                       "launch_seconds");
}
inline Predicted no_host_op(const Figures& f) {
  return tried_without(f, "no_host_op", "host_op_seconds");
}
inline Predicted no_compile(const Figures& f) { return tried_without(f, "fed", "compile_seconds"); }
inline Predicted no_copies(const Figures& f) {
  return tried_without(f, "resident", "copies_seconds", "input_seconds");
}
inline Predicted no_launch(const Figures& f) { return without(f, "launch_seconds"); }
// Only the step itself becomes faster; the rest stays the same for the same number of samples.
inline Predicted larger_batch(const Figures& f) {
  const auto then = f.find("better_batch_seconds");
  if (!then) return std::nullopt;
  return likely(*then, *then * (1 - uncertain));
}
// A step without the fraction of the time during which the host's threads were kept from running. A
// GPU that works meanwhile does not wait for them.
inline Predicted undisturbed(const Figures& f, const char* share) {
  const double least = of(f, "on_host") > 0 ? 0 : of(f, "working_seconds");
  const double rest = std::max(of(f, "step") * (1 - of(f, share)), least);
  return likely(rest, rest * (1 - uncertain));
}
inline Predicted own_cores(const Figures& f) { return undisturbed(f, "core_wait"); }
inline Predicted no_quota(const Figures& f) { return undisturbed(f, "cpu_throttled"); }
inline Predicted own_gpu(const Figures& f) {
  const double rest = of(f, "step") * (1 - of(f, "gpu_others_share"));
  return likely(rest, rest * (1 - uncertain));
}
inline Predicted with_bfloat16(const Figures& f) {
  const auto then = f.find("bfloat16_seconds");
  if (!then) return std::nullopt;
  return likely(*then, *then * (1 - uncertain));
}

inline Predicted no_late_rank(const Figures& f) {
  const double rest = of(f, "step") * (1 - of(f, "ranks_wait"));
  return likely(rest, rest * (1 - uncertain));
}

}  // namespace stoker::ledger
