#include "ledger/run_figures.h"

#include <algorithm>
#include <cmath>

#include "ledger/input_figures.h"

namespace stoker::ledger {
namespace {

using Unit = Figures::Unit;

double seconds(Time time) { return static_cast<double>(time) * 1e-9; }

// The name of a part in rules, and the corresponding host activity before the first step.
struct Name {
  const char *part, *figure;
  Activity before;
};
constexpr Name names[] = {{"working", "working", Activity::step},
                          {"input", "input", Activity::input},
                          {"copies", "copies", Activity::count},
                          {"launch", "launch", Activity::count},
                          {"host op", "host_op", Activity::host_calls},
                          {"metrics", "metrics", Activity::metrics},
                          {"callbacks", "callbacks", Activity::callback},
                          {"checkpoint", "checkpoint", Activity::checkpoint},
                          {"compile", "compile", Activity::compile},
                          {"outputs", "outputs", Activity::outputs},
                          {"setup", "setup", Activity::setup},
                          {"communication", "communication", Activity::count},
                          {"imbalance", "imbalance", Activity::count},
                          {"outside", "outside", Activity::count}};

double part_seconds(const std::vector<Account::Part>& parts, const char* cause) {
  const auto part = std::ranges::find(parts, cause, &Account::Part::cause);
  return part == parts.end() ? 0 : part->seconds;
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

double before_first_step(const RunFacts& facts, Activity activity) {
  return activity == Activity::count ? 0
                                     : seconds(facts.host_before[static_cast<size_t>(activity)]);
}

// The parts of a step, from the first one on.
void add_parts(const RunFacts& facts, const std::vector<Account::Part>& parts, Figures& figures) {
  const auto steps = static_cast<double>(facts.steps);
  const double loop = seconds(facts.wall - facts.wall_before) - part_seconds(parts, "validation");
  const double step = loop / steps;
  figures.set("step", step, Unit::seconds);
  for (const Name& name : names) {
    const double spent =
        std::max(0.0, part_seconds(parts, name.part) - before_first_step(facts, name.before));
    figures.set(name.figure, share_of(spent, loop), Unit::share);
    figures.set(std::string(name.figure) + "_seconds", spent / steps, Unit::seconds);
  }
  const double wall = seconds(facts.wall);
  figures.set("compile_before", before_first_step(facts, Activity::compile) / wall, Unit::share);
  figures.set("validation", part_seconds(parts, "validation") / wall, Unit::share);
  figures.set("wall", wall, Unit::seconds);
}

void add_load(const RunFacts& facts, Figures& figures) {
  const HostLoad& load = facts.load;
  const double wall = seconds(facts.wall);
  figures.set("cores", load.cores, Unit::cores);
  if (load.cpu_seconds > 0) {
    figures.set("cores_used", load.cpu_seconds / wall, Unit::cores);
    figures.set("cores_used_share", load.cpu_seconds / wall / std::max(load.cores, 1.0),
                Unit::share);
  }
  if (load.core_wait) figures.set("core_wait", std::min(1.0, *load.core_wait / wall), Unit::share);
  if (load.throttled)
    figures.set("cpu_throttled", std::min(1.0, *load.throttled / wall), Unit::share);
  if (load.gpu_others) figures.set("gpu_others", *load.gpu_others, Unit::count);
  if (load.gpu_shared) figures.set("gpu_others_share", *load.gpu_shared, Unit::share);
}

// The average time that a rank waits for the one that is waited for most; that one sees no waiting.
void add_ranks(const RunFacts& facts, Figures& figures) {
  const Ranks& ranks = facts.ranks;
  if (ranks.count < 2 || ranks.late < 0) return;
  figures.set("ranks_wait",
              std::min(1.0, static_cast<double>(ranks.for_late) /
                                static_cast<double>((ranks.count - 1) * facts.wall)),
              Unit::share);
  figures.set("late_rank", ranks.late, Unit::count);
}

// Callbacks between steps, and the part of their time spent reading metrics for them.
void add_hooks(const RunFacts& facts, Figures& figures) {
  const double reading = figures.find("metrics").value_or(0),
               take = figures.find("callbacks").value_or(0) + reading;
  figures.set("hooks", static_cast<double>(facts.batch_hooks) / static_cast<double>(facts.steps),
              Unit::ratio);
  figures.set("hooks_take", take, Unit::share);
  if (take > 0) figures.set("reading", reading / take, Unit::share);
}

// The fraction of a step's time saved by a larger batch, for the same number of samples.
void add_sizes(const RunFacts& facts, Figures& figures) {
  const auto& sizes = facts.probe.sizes;
  if (sizes.size() < 2) return;
  const Probe::Size &now = sizes.front(), &best = sizes.back();
  const double then =
      best.seconds * static_cast<double>(now.batch) / static_cast<double>(best.batch);
  figures.set("fixed_share", std::clamp(1 - then / now.seconds, 0.0, 1.0), Unit::share);
  figures.set("better_batch", static_cast<double>(best.batch), Unit::count);
  figures.set("better_batch_seconds", then, Unit::seconds);
}

// The results of trials in which a step does not wait for input: batches are on the device or, for
// a dataset, in host memory.
void add_trials(const RunFacts& facts, Figures& figures) {
  const Probe& probe = facts.probe;
  const double step = figures.find("step").value_or(0);
  if (!probe.sizes.empty()) {
    figures.set("resident", probe.sizes.front().seconds, Unit::seconds);
    figures.set("resident_gain", step / probe.sizes.front().seconds, Unit::ratio);
    figures.set("fed", probe.sizes.front().seconds, Unit::seconds);
  }
  if (probe.replayed > 0) {
    figures.set("cached_gain", step / probe.replayed, Unit::ratio);
    figures.set("fed", probe.replayed, Unit::seconds);
  }
  if (probe.without_host_calls > 0)
    figures.set("no_host_op", probe.without_host_calls, Unit::seconds);
  if (probe.bfloat16 > 0) {
    figures.set("bfloat16_seconds", probe.bfloat16, Unit::seconds);
    if (!probe.sizes.empty())
      figures.set("bfloat16_gain", probe.sizes.front().seconds / probe.bfloat16, Unit::ratio);
  }
}

void add_places(const Places& places, Figures& figures) {
  figures.set_text("fit_place", places.fit);
  if (!places.input.empty())
    for (const char* place : {"stage_place", "nested_place"}) figures.set_text(place, places.input);
  figures.set_text("batch_place", places.batch_size);
  figures.set_text("checkpoint_place", places.checkpoint);
  figures.set_text("callback_place", places.callback);
  const std::string& callback = places.callback_name;
  figures.set_text("callback", callback.empty() ? "A callback" : callback);
  figures.set_text("slowest_callback",
                   callback.empty() ? "" : " (" + callback + " takes the most)");
  figures.set_text("host_function_place", places.host_function);
  figures.set_text("policy_place", places.policy);
}

}  // namespace

Figures figures_of(const RunFacts& facts, const std::vector<Account::Part>& parts) {
  Figures figures;
  if (facts.steps == 0 || facts.wall <= facts.wall_before) return figures;
  add_parts(facts, parts, figures);
  add_input(facts, figures);
  add_hooks(facts, figures);
  add_load(facts, figures);
  add_ranks(facts, figures);
  add_sizes(facts, figures);
  add_trials(facts, figures);
  add_places(facts.places, figures);
  const auto steps = static_cast<double>(facts.steps);
  figures.set("steps", steps, Unit::count);
  figures.set("batch_size", static_cast<double>(facts.batch_size), Unit::count);
  figures.set("late_compiles", static_cast<double>(facts.late_compiles) / steps, Unit::share);
  figures.set("recompiles", static_cast<double>(facts.late_compiles), Unit::count);
  figures.set("checkpoints", static_cast<double>(facts.checkpoints), Unit::count);
  figures.set("on_host", facts.on_host, Unit::flag);
  figures.set("float16", facts.float16, Unit::flag);
  if (facts.run == "loop" || facts.calls > 0)
    figures.set(facts.run == "loop" ? "runs" : "calls", static_cast<double>(facts.calls),
                Unit::count);
  if (facts.matmul_share > 0) figures.set("matmul", facts.matmul_share, Unit::share);
  return figures;
}

}  // namespace stoker::ledger
