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
inline double waits_without(const Figures& f, Parts... parts) {
  double sum = 0;
  for (const std::string_view part : stays)
    if (((part != parts) && ...)) sum += f.find(part).value_or(0);
  return sum;
}
template <class... Parts>
inline Predicted tried_without(const Figures& f, const char* trial, Parts... parts) {
  const auto tried = f.find(trial);
  const Predicted left = without(f, parts...);
  if (!tried) return left;
  // It exceeds the rest of this step only if the trial was disturbed.
  const double rest =
      std::min(*tried + waits_without(f, parts...), left ? left->likely : of(f, "step"));
  return likely(rest, std::min(*tried, rest * (1 - uncertain)));
}

inline Predicted no_input(const Figures& f) { return tried_without(f, "fed", "input_seconds"); }
// Without one stage, the others remain; a trial of replayed batches has none of them.
inline Predicted no_stage(const Figures& f) {
  const Predicted fed = no_input(f);
  if (!fed || f.find("cached_gain")) return fed;
  return likely(std::max(fed->likely, of(f, "rest_of_input")), fed->low);
}
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
// The trial's step has the padded shape, which may take longer than the others do now.
inline Predicted no_compile(const Figures& f) {
  const auto tried = f.find("fed");
  if (!tried) return without(f, "compile_seconds");
  const double rest = *tried + waits_without(f, "compile_seconds");
  return likely(rest, rest * (1 - uncertain));
}
inline Predicted no_copies(const Figures& f) {
  return tried_without(f, "resident", "copies_seconds", "input_seconds");
}
inline Predicted no_launch(const Figures& f) { return without(f, "launch_seconds"); }
// How much longer a step takes than in the trial of the same size: waiting that the trial had not.
inline double not_in_trial(const Figures& f) {
  return std::max(0.0, of(f, "step") - of(f, "resident"));
}
// Only the step itself becomes faster. For the same number of samples the input takes as long, and
// what is done once a step is done less often.
inline Predicted larger_batch(const Figures& f) {
  const auto then = f.find("better_batch_seconds");
  if (!then) return std::nullopt;
  const double input = std::min(of(f, "input_seconds"), not_in_trial(f)),
               others = std::min(waits_without(f, "input_seconds"), not_in_trial(f) - input),
               fewer = of(f, "batch_size") / std::max(of(f, "better_batch"), 1.0),
               rest = *then + input + fewer * others;
  return likely(rest, rest * (1 - uncertain));
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
  const double rest = *then + std::min(waits_without(f), not_in_trial(f));
  return likely(rest, rest * (1 - uncertain));
}

inline Predicted no_late_rank(const Figures& f) {
  const double rest = of(f, "step") * (1 - of(f, "ranks_wait"));
  return likely(rest, rest * (1 - uncertain));
}

}  // namespace stoker::ledger
