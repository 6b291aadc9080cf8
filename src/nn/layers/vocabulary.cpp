#include "nn/layers/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text_table.h"
#include "stoker/layers/lookup.h"

namespace stoker {
namespace nn {

std::vector<std::string> by_frequency(const std::vector<std::string>& tokens, bool integers) {
  std::map<std::string, int64_t> counts;
  for (const auto& token : tokens) ++counts[token];
  std::vector<std::pair<std::string, int64_t>> all(counts.begin(), counts.end());
  std::ranges::sort(all, [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return integers ? std::stoll(a.first) > std::stoll(b.first) : a.first > b.first;
  });
  std::vector<std::string> sorted;
  for (const auto& [token, count] : all) sorted.push_back(token);
  return sorted;
}

}  // namespace nn

namespace layers {
namespace {

nn::HasVocabulary& holder(const LayerRef& layer) {
  auto* holds = dynamic_cast<nn::HasVocabulary*>(layer.ptr().get());
  if (!holds)
    throw InvalidArgument(fmt::format("layer \"{}\" of class {} has no vocabulary.", layer->name(),
                                      layer->class_name()));
  return *holds;
}

}  // namespace

std::vector<std::string> get_vocabulary(const LayerRef& layer) {
  return holder(layer).vocabulary();
}
void set_vocabulary(const LayerRef& layer, const std::vector<std::string>& vocabulary) {
  holder(layer).set_vocabulary(vocabulary);
}
void adapt(const LayerRef& layer, const std::vector<std::string>& tokens) {
  holder(layer).learn_vocabulary(tokens);
}

Array string_ids(const std::vector<std::string>& strings, const Shape& shape) {
  std::vector<int64_t> ids;
  for (const auto& text : strings) ids.push_back(id_of_text(text));
  return Array::from(ids, shape);
}

}  // namespace layers
}  // namespace stoker
