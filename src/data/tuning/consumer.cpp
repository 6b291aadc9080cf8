#include "data/tuning/consumer.h"

#include <algorithm>

#include "core/memory/counted.h"

namespace stoker::data {
namespace {

void add_stages(const Stage& stage, std::vector<const Stage*>& all) {
  for (const Stage* input : stage.inputs()) add_stages(*input, all);
  if (std::find(all.begin(), all.end(), &stage) == all.end()) all.push_back(&stage);
}

std::vector<Tuner::Tuned> tuned(const std::vector<const Stage*>& stages, const Tuner::Tuned& own) {
  std::vector<Tuner::Tuned> all;
  for (const Stage* stage : stages) all.push_back({stage->where(), &stage->meter()});
  if (own.meter) all.push_back(own);
  return all;
}

StageStatistics statistics_of(const Meter& meter, std::string name, std::string where) {
  return {.name = std::move(name),
          .where = std::move(where),
          .elements = meter.elements(),
          .seconds_per_element = meter.seconds_per_element(),
          .waited_seconds = meter.waited_seconds(),
          .held_bytes = meter.held_bytes(),
          .parallel = meter.parallel,
          .setting = meter.setting.what.load(),
          .value = meter.setting.value,
          .automatic = meter.setting.automatic()};
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

double seconds_of(ledger::Time time) { return static_cast<double>(time) * 1e-9; }

}  // namespace

std::vector<const Stage*> stages_up_to(const Stage& last) {
  std::vector<const Stage*> all;
  add_stages(last, all);
  return all;
}

Consumer::Consumer(StageRef last, Tuner::Tuned own)
    : last_(std::move(last)),
      stages_(stages_up_to(*last_)),
      own_(std::move(own)),
      tuner_(tuned(stages_, own_), Workers::global().size()) {
  for (const Stage* stage : stages_) made_before_.push_back(stage->meter().elements());
}

bool Consumer::next(Cursor& cursor, Element& element) {
  const InPipeline counted;
  const ledger::Time asked = ledger::now();
  if (!cursor.next(element)) return false;
  const ledger::Time got = ledger::now();
  const std::lock_guard lock(mutex_);
  tuner_.taken(got - asked);
  if (taken_++ == 0)
    begun_ = got;
  else
    waited_ += got - asked;
  latest_ = got;
  return true;
}

PipelineStatistics Consumer::statistics() const {
  PipelineStatistics all;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = *stages_[i];
    all.stages.push_back(statistics_of(stage.meter(), stage.name(), to_string(stage.created())));
    all.stages.back().elements -= made_before_[i];
  }
  if (own_.meter) all.stages.push_back(statistics_of(*own_.meter, "prefetch", own_.stage));
  all.notes = notes_on(stages_);
  append(all.notes, rewrites_of(stages_));
  all.threads = Workers::global().size();
  const std::lock_guard lock(mutex_);
  all.decisions = tuner_.decisions();
  all.taken = taken_;
  // Not before the first batch, and nothing that applies to every fit.
  if (own_.meter && taken_ > 0) append(all.notes, rewrites_by_fit(stages_));
  all.seconds = seconds_of(latest_ - begun_);
  all.waited_seconds = seconds_of(waited_);
  all.verdict = verdict_on(all);
  return all;
}

}  // namespace stoker::data
