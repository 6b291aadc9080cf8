#include <fmt/format.h>

#include "data/stage.h"

namespace stoker::data {
namespace {

constexpr int64_t all = std::numeric_limits<int64_t>::max();

// The fit to explain.
FedBy fit_of(const Stage& stage, const ExplainArgs& args) {
  if (args.epoch < 0 || args.step < 0)
    throw InvalidArgument(fmt::format(
        "explain: epoch and step count from 0, got epoch {} and step {}.", args.epoch, args.step));
  if (args.seed) return {.seed = *args.seed, .steps_per_epoch = args.steps_per_epoch};
  if (const auto latest = stage.latest_fit()) return *latest;
  throw InvalidArgument(
      fmt::format("explain: no fit was over the dataset that ends with {}.", stage.where()),
      "call it on the dataset that fit was given, or give the seed of the fit.");
}

void refuse_unordered(const Stage& stage) {
  if (!stage.keeps_order())
    throw InvalidArgument(
        fmt::format("explain: {}, has a different order in every run.", stage.where()),
        "leave out deterministic = false.");
  for (const Stage* input : stage.inputs()) refuse_unordered(*input);
}

int64_t batches_of_pass(const Stage& stage, const Opening& opening) {
  const int64_t known = stage.cardinality();
  return is_finite(known) ? known : stage.open(opening)->skip(all);
}

// Where an epoch begins: with steps_per_epoch it continues in the data after the previous one, or
// starts a new pass if that was the end.
struct Place {
  int64_t pass = 0, batch = 0;
};
Place begin_of(const Stage& stage, const FedBy& fit, Opening opening, int64_t epoch) {
  const int64_t steps = fit.steps_per_epoch;
  if (steps == 0) return {epoch, 0};
  if (stage.cardinality() == INFINITE_CARDINALITY) return {0, epoch * steps};
  for (;; ++opening.pass) {
    const int64_t batches = batches_of_pass(stage, opening),
                  epochs = batches / steps + (batches % steps != 0 ? 1 : 0);
    if (epoch < epochs || batches == 0) return {opening.pass, epoch * steps};
    epoch -= epochs;
  }
}

[[noreturn]] void refuse_step(const ExplainArgs& args, const Stage& stage, const Place& at) {
  throw InvalidArgument(
      fmt::format("explain: epoch {} has no step {}: pass {} over {} has no batch {}.", args.epoch,
                  args.step, at.pass, stage.where(), at.batch),
      "epochs and steps count from 0.");
}

std::shared_ptr<const Indexed> numbers_of(const Stage& stage, Opening opening) {
  opening.numbers_only = true;
  return stage.index(opening);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

ExplainedBatch Dataset::explain(const ExplainArgs& args) const {
  const data::FedBy fit = data::fit_of(*stage_, args);
  data::refuse_unordered(*stage_);
  data::Opening opening{.seed = fit.seed, .stage = fit.maps_behind};
  data::Place at = data::begin_of(*stage_, fit, opening, args.epoch);
  at.batch += args.step;
  opening.pass = at.pass;
  ExplainedBatch result{
      .epoch = args.epoch, .step = args.step, .seed = fit.seed, .pass = at.pass, .batch = at.batch};
  const auto numbers = data::numbers_of(*stage_, opening);
  opening.tracks_origins =
      !numbers;  // otherwise the elements before the batch report their origins
  const auto cursor = stage_->open(opening);
  const bool within = fit.steps_per_epoch == 0 || args.step < fit.steps_per_epoch;
  if (!within || cursor->skip(at.batch) < at.batch || !cursor->next(result.element))
    data::refuse_step(args, *stage_, at);
  numbers ? numbers->add_origins(at.batch, result.samples) : cursor->add_origins(result.samples);
  return result;
}

std::string to_string(const ExplainedBatch& batch) {
  std::string text =
      fmt::format("epoch {}, step {}: batch {} of pass {}, seed {}: {}\n", batch.epoch, batch.step,
                  batch.batch, batch.pass, batch.seed, to_string(spec_of(batch.element)));
  for (const SampleOrigin& sample : batch.samples)
    text += fmt::format("row {}: element {} of {}{}{}\n", sample.row, sample.number, sample.source,
                        sample.file.empty() ? "" : ", ", sample.file);
  return text;
}

}  // namespace stoker
