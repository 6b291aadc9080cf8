#include "ledger/input_figures.h"

#include <algorithm>
#include <string_view>

namespace stoker::ledger {
namespace {

using Unit = Figures::Unit;

// Thread time of a stage per batch.
struct Work {
  const StageStatistics* stage = nullptr;
  double seconds = 0;
  bool source = false;
};

struct Pipeline {
  Work serial, parallel;  // the slowest stage of each kind
  double shared = 0;      // sum over the stages whose work is shared by threads
};

double work_of(const StageStatistics& stage, const PipelineStatistics& of) {
  return static_cast<double>(stage.elements) / static_cast<double>(of.taken) *
         stage.seconds_per_element;
}

bool is_in_memory(std::string_view source) {
  return source == "from_tensor_slices" || source == "from_tensors" || source == "range" ||
         source == "timeseries_dataset_from_array";
}

// A stage with fewer concurrent calls than threads is limited by its calls.
double calls_of(const StageStatistics& stage, int64_t threads) {
  const bool fixed = stage.setting == "parallel calls" && !stage.automatic && stage.value > 0;
  return static_cast<double>(fixed ? std::min(stage.value, threads) : threads);
}

// Threads of the pipeline make its elements while the loop does something else. A cheap map with
// one call runs in the thread that reads its elements.
bool works_ahead(const StageStatistics& stage) {
  return stage.name == "prefetch" || (stage.parallel && !(stage.automatic && stage.value == 1));
}

Pipeline pipeline_of(const PipelineStatistics& of) {
  Pipeline pipeline;
  for (size_t i = 0; i < of.stages.size(); ++i) {
    const StageStatistics& stage = of.stages[i];
    const double work = work_of(stage, of);
    if (stage.parallel) pipeline.shared += work;
    Work& slowest = stage.parallel ? pipeline.parallel : pipeline.serial;
    if (work > slowest.seconds) slowest = {&stage, work, i == 0};
  }
  return pipeline;
}

// The largest sum of serial stages that run one after the other in one thread, up to a stage that
// works ahead; without stage `one`.
double serial_without(const StageStatistics* one, const PipelineStatistics& of) {
  double in_a_row = 0, most = 0;
  for (const StageStatistics& stage : of.stages) {
    if (works_ahead(stage)) in_a_row = 0;
    if (!stage.parallel && &stage != one) in_a_row += work_of(stage, of);
    most = std::max(most, in_a_row);
  }
  return most;
}

// The stages of the datasets that such a stage reads are not among its own pipeline's.
bool reads_datasets(const StageStatistics& stage) {
  return stage.name == "interleave" || stage.name == "flat_map";
}

// Elements of later epochs come from the cache.
bool is_cached(const StageStatistics& stage, const PipelineStatistics& of) {
  const auto at = of.stages.begin() + (&stage - of.stages.data());
  return std::any_of(at, of.stages.end(), [](const auto& s) { return s.name == "cache"; });
}

// `rest`: how long a batch takes without that stage.
void add_stage(const PipelineStatistics& of, const Work& limit, double calls, double rest,
               Figures& figures) {
  figures.set("stage_cached", is_cached(*limit.stage, of), Unit::flag);
  figures.set("rest_of_input", rest, Unit::seconds);
  figures.set("stage_has_calls", limit.stage->setting == "parallel calls", Unit::flag);
  figures.set("stage_seconds", limit.seconds, Unit::seconds);
  figures.set("stage_calls", calls, Unit::count);
  figures.set("stage_source", limit.source, Unit::flag);
  figures.set("stage_in_memory", limit.source && is_in_memory(limit.stage->name), Unit::flag);
  figures.set("stage_generator", limit.stage->name == "from_generator", Unit::flag);
  figures.set_text("stage", limit.stage->name);
  figures.set_text("stage_place", limit.stage->where);
}

// How long a batch takes if the stage that limits the pipeline uses all threads: no less than what
// the others take.
void add_pipeline(const PipelineStatistics& of, double cores, Figures& figures) {
  const Pipeline pipeline = pipeline_of(of);
  const int64_t shared_threads = std::max<int64_t>(of.threads, 1);
  const double threads = std::max(static_cast<double>(shared_threads), cores);
  figures.set("threads", threads, Unit::count);
  const double serial = pipeline.serial.seconds;
  const double calls =
      pipeline.parallel.stage ? calls_of(*pipeline.parallel.stage, shared_threads) : 1;
  const double shared = std::max(pipeline.shared / threads, pipeline.parallel.seconds / calls);
  const double stages = std::max(shared, serial_without(nullptr, of));
  figures.set("stages_seconds", stages, Unit::seconds);
  const auto nested = std::ranges::find_if(of.stages, reads_datasets);
  figures.set("nested", nested != of.stages.end(), Unit::flag);
  if (nested != of.stages.end()) {
    figures.set_text("nested_stage", nested->name);
    figures.set_text("nested_place", nested->where);
  }
  if (const double waits = figures.find("input_seconds").value_or(0); waits > 0)
    figures.set("stages_explain", std::min(stages / waits, 1.0), Unit::share);
  if (pipeline.serial.stage && serial >= shared) {
    const double others = serial_without(pipeline.serial.stage, of);
    add_stage(of, pipeline.serial, 1, std::max(others, shared), figures);
    figures.set("all_threads", std::max(others, (pipeline.shared + serial) / threads),
                Unit::seconds);
  } else if (pipeline.parallel.stage) {
    const double others = serial_without(pipeline.parallel.stage, of);
    add_stage(of, pipeline.parallel, calls,
              std::max(others, (pipeline.shared - pipeline.parallel.seconds) / threads), figures);
    figures.set("all_threads", std::max(others, pipeline.shared / threads), Unit::seconds);
  }
}

// Seconds of a batch's work in the loop's own thread: that of the stages after the last one that
// works ahead, or all of the wait if none does.
double made_between(const PipelineStatistics& of, double input) {
  double own = 0;
  for (size_t i = of.stages.size(); i-- > 0;) {
    const StageStatistics& stage = of.stages[i];
    if (works_ahead(stage)) return std::min(own, input);
    own += work_of(stage, of);
  }
  return input;
}

// fit prefetches batches automatically; a user-defined loop only if its dataset does.
void add_prefetch(const PipelineStatistics& of, Figures& figures) {
  const double step = figures.find("step").value_or(0),
               input = figures.find("input_seconds").value_or(0);
  const double between = made_between(of, input);
  figures.set("between", between / step, Unit::share);
  figures.set("between_seconds", between, Unit::seconds);
  // A prefetch takes away most of the wait, or the stages themselves are too slow.
  const double won = step - std::max(step - between, between);
  figures.set("prefetch_wins", won / std::max(input, 1e-9), Unit::share);
  figures.set_text("last_stage_place", of.stages.back().where);
}

}  // namespace

void add_input(const RunFacts& facts, Figures& figures) {
  if (facts.input.taken == 0) return;
  add_pipeline(facts.input, facts.load.cores, figures);
  if (facts.run == "loop") add_prefetch(facts.input, figures);
}

}  // namespace stoker::ledger
