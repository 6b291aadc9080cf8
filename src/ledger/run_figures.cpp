#include "ledger/run_figures.h"

#include <algorithm>
#include <cmath>

namespace stoker::ledger {
namespace {

using Unit = Figures::Unit;

double seconds(Time time) { return static_cast<double>(time) * 1e-9; }

// What a part is called in rules, and which activity of the host before the first step was it.
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
    figures.set(name.figure, spent / loop, Unit::share);
    figures.set(std::string(name.figure) + "_seconds", spent / steps, Unit::seconds);
  }
  figures.set("compile_before", before_first_step(facts, Activity::compile) / seconds(facts.wall),
              Unit::share);
  figures.set("wall", seconds(facts.wall), Unit::seconds);
}

// Thread time of a stage per batch.
struct Work {
  const StageStatistics* stage = nullptr;
  double seconds = 0;
  bool source = false;
};

struct Pipeline {
  Work serial, parallel;     // the slowest of both kinds
  double second_serial = 0;  // the slowest serial one but that
  double shared = 0;         // of all stages whose work threads share
};

// A stage with fewer concurrent calls than threads is limited by its calls.
double calls_of(const StageStatistics& stage, int64_t threads) {
  const bool fixed = stage.setting == "parallel calls" && !stage.automatic && stage.value > 0;
  return static_cast<double>(fixed ? std::min(stage.value, threads) : threads);
}

Pipeline pipeline_of(const PipelineStatistics& of) {
  Pipeline pipeline;
  for (size_t i = 0; i < of.stages.size(); ++i) {
    const StageStatistics& stage = of.stages[i];
    const double work = static_cast<double>(stage.elements) / static_cast<double>(of.taken) *
                        stage.seconds_per_element;
    if (stage.parallel) pipeline.shared += work;
    Work& slowest = stage.parallel ? pipeline.parallel : pipeline.serial;
    if (work > slowest.seconds) {
      if (!stage.parallel) pipeline.second_serial = slowest.seconds;
      slowest = {&stage, work, i == 0};
    } else if (!stage.parallel) {
      pipeline.second_serial = std::max(pipeline.second_serial, work);
    }
  }
  return pipeline;
}

void add_stage(const Work& limit, double calls, Figures& figures) {
  figures.set("stage_seconds", limit.seconds, Unit::seconds);
  figures.set("stage_calls", calls, Unit::count);
  figures.set("stage_source", limit.source, Unit::count);
  figures.set_text("stage", limit.stage->name);
  figures.set_text("stage_place", limit.stage->where);
}

// How long a batch takes if the stage that limits the pipeline uses all threads: no less than what
// the others take.
void add_pipeline(const PipelineStatistics& of, double cores, Figures& figures) {
  if (of.taken == 0) return;
  const Pipeline pipeline = pipeline_of(of);
  const double threads = std::max({static_cast<double>(of.threads), cores, 1.0});
  figures.set("threads", threads, Unit::count);
  const double serial = pipeline.serial.seconds;
  const double calls = pipeline.parallel.stage ? calls_of(*pipeline.parallel.stage, of.threads) : 1;
  const double shared = std::max(pipeline.shared / threads, pipeline.parallel.seconds / calls);
  if (pipeline.serial.stage && serial >= shared) {
    add_stage(pipeline.serial, 1, figures);
    figures.set("all_threads",
                std::max(pipeline.second_serial, (pipeline.shared + serial) / threads),
                Unit::seconds);
  } else if (pipeline.parallel.stage) {
    add_stage(pipeline.parallel, calls, figures);
    figures.set("all_threads", std::max(serial, pipeline.shared / threads), Unit::seconds);
  }
}

// fit makes batches ahead by itself; a loop of one's own does what its dataset says.
void add_prefetch(const PipelineStatistics& of, Figures& figures) {
  if (of.taken == 0) return;
  const auto is_buffer = [](const StageStatistics& stage) { return stage.name == "prefetch"; };
  figures.set("prefetched", std::ranges::any_of(of.stages, is_buffer), Unit::count);
  figures.set_text("last_stage_place", of.stages.back().where);
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
  const double waited = std::min(1.0, load.core_wait.value_or(wall) / wall);
  if (load.core_wait) figures.set("core_wait", waited, Unit::share);
  // The kernel adds up the time over all cores that it stopped; a thread was stopped no longer than
  // it waited.
  if (load.throttled)
    figures.set("cpu_throttled", std::min(waited, *load.throttled / wall), Unit::share);
  if (load.gpu_others) figures.set("gpu_others", *load.gpu_others, Unit::count);
  if (load.gpu_shared) figures.set("gpu_others_share", *load.gpu_shared, Unit::share);
}

// How long a rank waits on average for the one that they wait for most; that one does not see it.
void add_ranks(const RunFacts& facts, Figures& figures) {
  const Ranks& ranks = facts.ranks;
  if (ranks.count < 2 || ranks.late < 0) return;
  figures.set("ranks_wait",
              std::min(1.0, static_cast<double>(ranks.for_late) /
                                static_cast<double>((ranks.count - 1) * facts.wall)),
              Unit::share);
  figures.set("late_rank", ranks.late, Unit::count);
}

// What a larger batch saves of a step's time, for as many samples.
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

// What trials say of a step that has all it needs: from batches that lie on the device, or, where
// batches come from a dataset, in the host's memory.
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
  if (probe.bfloat16 > 0) figures.set("bfloat16_seconds", probe.bfloat16, Unit::seconds);
}

void add_places(const Places& places, Figures& figures) {
  figures.set_text("fit_place", places.fit);
  if (!places.input.empty()) figures.set_text("stage_place", places.input);
  figures.set_text("batch_place", places.batch_size);
  figures.set_text("checkpoint_place", places.checkpoint);
  figures.set_text("callback_place", places.callback);
  figures.set_text("callback", places.callback_name.empty() ? "a callback" : places.callback_name);
  figures.set_text("host_function_place", places.host_function);
  figures.set_text("policy_place", places.policy);
}

}  // namespace

Figures figures_of(const RunFacts& facts, const std::vector<Account::Part>& parts) {
  Figures figures;
  if (facts.steps == 0 || facts.wall <= facts.wall_before) return figures;
  add_parts(facts, parts, figures);
  add_pipeline(facts.input, facts.load.cores, figures);
  if (facts.run == "loop") add_prefetch(facts.input, figures);
  add_load(facts, figures);
  add_ranks(facts, figures);
  add_sizes(facts, figures);
  add_trials(facts, figures);
  add_places(facts.places, figures);
  const auto steps = static_cast<double>(facts.steps);
  figures.set("steps", steps, Unit::count);
  figures.set("batch_size", static_cast<double>(facts.batch_size), Unit::count);
  figures.set("late_compiles", static_cast<double>(facts.late_compiles) / steps, Unit::share);
  figures.set("hooks", static_cast<double>(facts.batch_hooks) / steps, Unit::ratio);
  figures.set("checkpoints", static_cast<double>(facts.checkpoints), Unit::count);
  figures.set("on_host", facts.on_host, Unit::count);
  if (facts.calls > 0)
    figures.set(facts.run == "loop" ? "runs" : "calls", static_cast<double>(facts.calls),
                Unit::count);
  if (facts.matmul_share > 0) figures.set("matmul", facts.matmul_share, Unit::share);
  return figures;
}

}  // namespace stoker::ledger
