#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "data/tuning/consumer.h"

namespace stoker::data {
namespace {

bool is(const Stage* stage, std::string_view name) { return stage->name() == name; }

// The nearest stage of this name before another one, if none of the second name lies between.
const Stage* before(const Stage* stage, std::string_view name, std::string_view unless = {}) {
  for (const Stage* input : stage->inputs()) {
    if (is(input, name)) return input;
    if (is(input, unless)) continue;
    if (const Stage* found = before(input, name, unless)) return found;
  }
  return nullptr;
}

std::string note_on_shuffle(const Stage* shuffle) {
  if (const Stage* batch = before(shuffle, "batch", "unbatch"))
    return fmt::format(
        "{}, shuffles whole batches of {}: samples stay with their neighbours. Put "
        "it before batch.",
        shuffle->where(), batch->where());
  if (const Stage* repeat = before(shuffle, "repeat"))
    return fmt::format(
        "{}, mixes the passes that {}, makes: some samples come twice before others come at all. "
        "Put it before repeat.",
        shuffle->where(), repeat->where());
  return {};
}

std::string note_on(const Stage* stage) {
  if (is(stage, "shuffle")) return note_on_shuffle(stage);
  if (!is(stage, "cache")) return {};
  const Stage* const shuffle = before(stage, "shuffle");
  if (!shuffle) return {};
  return fmt::format("{}, keeps the order that {}, had in the first pass. Put shuffle behind it.",
                     stage->where(), shuffle->where());
}

}  // namespace

std::vector<std::string> notes_on(const std::vector<const Stage*>& stages) {
  std::vector<std::string> notes;
  for (const Stage* stage : stages)
    if (auto note = note_on(stage); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace stoker::data
