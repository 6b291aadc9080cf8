#include "nn/saving/assets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nn/layers/preprocessing/vocabulary.h"
#include "nn/saving/saved_state.h"
#include "stoker/say.h"

namespace stoker::nn {
namespace {

std::string member_of(const SavedGroup& group) {
  return fmt::format("assets/{}/vocabulary.txt", group.path);
}

HasVocabulary* asset_of(const SavedGroup& group) {
  auto* found = dynamic_cast<HasVocabulary*>(group.layer);
  return found && found->is_an_asset() ? found : nullptr;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

void store_assets(Layer& network, ZipWriter& zip) {
  for (const SavedGroup& group : saved_groups(network))
    if (const HasVocabulary* layer = asset_of(group)) {
      const std::string text = fmt::format("{}", fmt::join(layer->vocabulary(), "\n"));
      zip.add(member_of(group), {std::as_bytes(std::span(text))});
    }
}

void restore_assets(Layer& network, const ZipReader& zip) {
  for (const SavedGroup& group : saved_groups(network))
    if (HasVocabulary* layer = asset_of(group); layer && zip.contains(member_of(group)))
      layer->restore_vocabulary(lines_of(zip.read(member_of(group)).text()));
}

void warn_of_assets(Layer& network, const std::string& path) {
  std::vector<std::string> names;
  for (const SavedGroup& group : saved_groups(network))
    if (asset_of(group)) names.push_back(group.name);
  if (!names.empty())
    say(stderr, fmt::format("Warning: \"{}\" does not hold the vocabularies learnt by adapt: {}. "
                            "Hint: save the model as \".keras\".\n",
                            path, fmt::join(names, ", ")));
}

}  // namespace stoker::nn
