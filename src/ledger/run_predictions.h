#pragma once
#include <algorithm>
#include <optional>
#include <string_view>

#include "ledger/rule_table.h"

// What a step would take after the change that a rule advises.
namespace stoker::ledger {

using Predicted = std::optional<Prediction>;

inline constexpr double uncertain = 0.15;  // of a prediction
// Shares of a step. XProf calls 5 % of waiting for input moderate.
inline constexpr double worth_saying = 0.05, much = 0.3;
inline constexpr double each_step = 0.1;  // hooks a step: more than once an epoch

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

// What stays of a step's waiting when it has all that the trial of a fed step gave it. Launching,
// copies and functions on the host are part of that trial's step.
inline constexpr const char* stays[] = {"input_seconds",     "metrics_seconds",
                                        "callbacks_seconds", "checkpoint_seconds",
                                        "compile_seconds",   "outside_seconds"};

// The same, where a trial told how long the step takes then. A device that runs dry at every step
// pays for more than the wait: launches and copies that else overlap with its work, a CPU that
// works more slowly.
template <class... Parts>
inline Predicted tried_without(const Figures& f, const char* trial, Parts... parts) {
  const auto tried = f.find(trial);
  const Predicted left = without(f, parts...);
  if (!tried) return left;
  double rest = *tried;
  for (const std::string_view part : stays)
    if (((part != parts) && ...)) rest += f.find(part).value_or(0);
  // More than what is left of the step only in a trial that something else disturbed.
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
// The batch is made while the step before runs: whichever takes longer.
inline Predicted overlapped(const Figures& f) {
  const double between = of(f, "between_seconds"), rest = of(f, "step") - between;
  return likely(std::max(rest, between), std::max(rest, between) * (1 - uncertain));
}
// Whoever looks between steps makes the device run dry, so that it waits for the next launch, too.
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
// The step itself becomes faster; the rest stays the same for as many samples.
inline Predicted larger_batch(const Figures& f) {
  const auto then = f.find("better_batch_seconds");
  if (!then) return std::nullopt;
  return likely(*then, *then * (1 - uncertain));
}
// A step without the share of the time that the host's threads were kept from running. A GPU that
// works meanwhile does not wait for them.
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
