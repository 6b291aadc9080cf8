#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "data/tuning/consumer.h"

// Automatic changes of the pipeline that do not change its elements.
namespace stoker::data {
namespace {

template <size_t n>
bool is_one_of(const Stage& stage, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), stage.name()) != names.end();
}
constexpr std::array<std::string_view, 3> choosing{"take", "skip", "shard"};
constexpr std::array<std::string_view, 2> batching{"batch", "padded_batch"};
constexpr std::array<std::string_view, 5> asked_by_number{"take", "skip", "shard", "map",
                                                          "prefetch"};

// The maps before which a selection of elements is applied.
std::vector<std::string> maps_behind(const Stage& choice) {
  std::vector<std::string> maps;
  const Stage* stage = choice.inputs().at(0);
  while (is_one_of(*stage, asked_by_number)) {
    if (stage->name() == std::string_view("map")) maps.insert(maps.begin(), stage->where());
    stage = stage->inputs().at(0);
  }
  return maps;
}

std::string rewrite_of_choice(const Stage& choice) {
  const auto maps = maps_behind(choice);
  if (maps.empty()) return {};
  return fmt::format("{}, is applied before {}: the elements that it drops are not computed.",
                     choice.where(), fmt::join(maps, " and "));
}

// A prefetch of the elements that are batched here.
std::string rewrite_of_prefetch(const Stage& batch) {
  for (const Stage* stage = &batch; !stage->inputs().empty();) {
    stage = stage->inputs()[0];
    if (stage->batch_rows() > 0) break;
    if (stage->name() == std::string_view("prefetch"))
      return fmt::format(
          "{}, makes single elements ahead of {}. Put it behind {}, or leave it out: fit makes "
          "whole batches ahead by itself.",
          stage->where(), batch.where(), batch.name());
  }
  return {};
}

}  // namespace

std::vector<std::string> rewrites_of(const std::vector<const Stage*>& stages) {
  std::vector<std::string> notes;
  for (const Stage* stage : stages) {
    std::string note;
    if (is_one_of(*stage, choosing)) note = rewrite_of_choice(*stage);
    if (is_one_of(*stage, batching)) note = rewrite_of_prefetch(*stage);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

std::vector<std::string> rewrites_by_fit(const std::vector<const Stage*>& stages) {
  if (stages.back()->name() == std::string_view("prefetch")) return {};
  return {fmt::format("batches were made ahead, as if prefetch(AUTOTUNE) were behind {}.",
                      stages.back()->where())};
}

}  // namespace stoker::data
