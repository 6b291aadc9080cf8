#include "nn/training/ranks/start_together.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/feed.h"
#include "distribution/collectives.h"
#include "exec/broadcast_states.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

std::string describe(const exec::States& states) {
  std::string text = fmt::format("{} states", states.size());
  for (const auto& state : states)
    text += fmt::format(", {} {}", state->name, to_string(state->type));
  return text;
}

// The steps of full and last batches share most states.
exec::States each_once(const exec::States& states) {
  exec::States found;
  for (const auto& state : states)
    if (std::ranges::find(found, state) == found.end()) found.push_back(state);
  return found;
}

std::string describe(const data::Feed& feed) {
  const data::FeedPlan& plan = feed.plan();
  std::string text = plan.samples > 0 ? fmt::format("{} samples", plan.samples)
                                      : fmt::format("{} batches", plan.known_batches);
  text += fmt::format(" in batches of {}", feed.batch_size());
  for (TensorType column : plan.columns) {
    column.shape[0] = unknown;
    text += fmt::format(", {}", to_string(column));
  }
  return text;
}

std::string describe(const std::optional<FitPosition>& at) {
  if (!at) return "none";
  return fmt::format("one of seed {} at epoch {}, batch {}", at->seed, at->epoch + 1,
                     at->batch + 1);
}

}  // namespace

void start_together(const Model& model, const Session& session) {
  if (distribution::size() == 1) return;
  distribution::check_same("the version", std::string(version()));
  distribution::check_same("the training data", describe(*session.feed));
  const exec::States states = each_once(session.states);
  distribution::check_same(fmt::format("model \"{}\"", model.name()), describe(states));
  distribution::check_same("the checkpoint", describe(session.resumes));
  exec::broadcast_states(states);
}

}  // namespace stoker::nn
