#include "nn/training/ranks/start_together.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash/fingerprint.h"
#include "data/feeds/feed.h"
#include "distribution/collectives.h"
#include "exec/broadcast_states.h"
#include "nn/random_seed.h"
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

// Some rows of every array: hashing all of them could take seconds.
std::string digest(const RunData& data) {
  constexpr int64_t most_rows = 256, most_bytes = 16 << 20;
  if (!data.columns) return "";
  std::string rows;
  for (const Array& array : data.columns->arrays) {
    const auto width = static_cast<int64_t>(array.row_bytes());
    const int64_t count =
        std::min({array.length(), most_rows,
                  std::max<int64_t>(1, most_bytes / std::max<int64_t>(1, width))});
    if (array.holds_strings()) continue;
    const auto* const bytes = reinterpret_cast<const char*>(array.raw());
    for (int64_t i = 0; i < count; ++i)
      rows.append(bytes + array.length() * i / count * width, static_cast<size_t>(width));
  }
  return fmt::format(" with the digest {:016x}", fingerprint64(rows));
}

// A model that cannot be saved is compared by its states alone.
std::string config_of(const Model& model) {
  try {
    return model.to_config().to_string();
  } catch (const Error&) {
    return "";
  }
}

std::string describe(const FitArgs& args) {
  return fmt::format(
      "epochs {} to {}, steps_per_epoch {}, shuffle {}, validation_split {}, validation_freq {}, "
      "validation_steps {}",
      args.initial_epoch, args.epochs, args.steps_per_epoch, args.shuffle, args.validation_split,
      args.validation_freq, args.validation_steps);
}

void check_batch_size(int64_t batch_size) {
  if (batch_size > 0 && batch_size < distribution::size())
    throw InvalidArgument(
        fmt::format("batch_size is {}, but {} processes divide every batch among them.", batch_size,
                    distribution::size()),
        "it is that of all processes together: make it larger, or start fewer of them.");
}

std::string describe(const std::optional<FitPosition>& at) {
  if (!at) return "none";
  return fmt::format("one of seed {} at epoch {}, batch {}", at->seed, at->epoch + 1,
                     at->batch + 1);
}

}  // namespace

void start_together(const Model& model, const Session& session, const RunData& data,
                    const FitArgs& args) {
  if (distribution::size() == 1) return;
  distribution::check_same("the version", std::string(version()));
  distribution::check_same("the seed", std::to_string(global_seed()));
  distribution::check_same("the training data", describe(*session.feed) + digest(data));
  distribution::check_same("fit", describe(args));
  check_batch_size(session.feed->batch_size());
  const exec::States states = each_once(session.states);
  distribution::check_same("the model", describe(states));
  distribution::check_same("the model", config_of(model));
  distribution::check_same("the checkpoint", describe(session.resumes));
  exec::broadcast_states(states);
}

}  // namespace stoker::nn
