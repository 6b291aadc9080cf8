#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "data/tuning/consumer.h"

// Likely mistakes: the elements are those requested, but hardly those intended.
namespace stoker::data {
namespace {

bool is(const Stage* stage, std::string_view name) { return stage->name() == name; }
bool batches(const Stage* stage) { return is(stage, "batch") || is(stage, "padded_batch"); }
bool is_random(const Stage* stage) { return stage->is_random(); }

// The nearest such stage before another one, unless a stage of the second name is between.
const Stage* before(const Stage* stage, const std::function<bool(const Stage*)>& such,
                    std::string_view unless = {}) {
  for (const Stage* input : stage->inputs()) {
    if (such(input)) return input;
    if (is(input, unless)) continue;
    if (const Stage* found = before(input, such, unless)) return found;
  }
  return nullptr;
}
const Stage* repeat_before(const Stage* stage) {
  return before(stage, [](const Stage* input) { return is(input, "repeat"); });
}

std::string note_on_shuffle(const Stage* shuffle) {
  if (const Stage* batch = before(shuffle, batches, "unbatch"))
    return fmt::format(
        "{}, shuffles whole batches of {}: samples stay with their neighbours. Put "
        "it before {}.",
        shuffle->where(), batch->where(), batch->name());
  if (const Stage* repeat = repeat_before(shuffle))
    return fmt::format(
        "{}, mixes the passes of {}: some samples are seen twice before others are seen once. "
        "Put it before repeat.",
        shuffle->where(), repeat->where());
  return {};
}

std::string note_on_cache(const Stage* cache) {
  if (const Stage* random = before(cache, is_random, "cache"))
    return is(random, "shuffle")
               ? fmt::format(
                     "{}, keeps the order that {}, had in the first pass. Put shuffle "
                     "behind it.",
                     cache->where(), random->where())
               : fmt::format(
                     "{}, keeps what {}, drew in the first pass: every epoch gets the same "
                     "random numbers. Put {} behind it.",
                     cache->where(), random->where(), random->name());
  if (const Stage* repeat = repeat_before(cache))
    return fmt::format(
        "{}, caches each element once for each repetition of {}. Put repeat after it.",
        cache->where(), repeat->where());
  return {};
}

// If the data is split into a training and a validation part, each would sooner or later get
// samples of the other.
std::string note_on_part(const Stage* part) {
  const Stage* const shuffle = before(
      part, [](const Stage* input) { return is(input, "shuffle") && input->is_random(); }, "cache");
  if (!shuffle) return {};
  return fmt::format(
      "{}, keeps other elements in every pass, as {}, changes their order. For a part that stays "
      "the same, put it before shuffle.",
      part->where(), shuffle->where());
}

std::string note_on(const Stage* stage) {
  if (is(stage, "shuffle")) return note_on_shuffle(stage);
  if (is(stage, "cache")) return note_on_cache(stage);
  if (is(stage, "take") || is(stage, "skip")) return note_on_part(stage);
  return {};
}

}  // namespace

std::vector<std::string> notes_on(const std::vector<const Stage*>& stages) {
  std::vector<std::string> notes;
  for (const Stage* stage : stages)
    if (auto note = note_on(stage); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace stoker::data
