#include "nn/layers/preprocessing/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text/interned_strings.h"
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

std::vector<double> inverse_document_frequencies(const std::vector<std::string>& tokens,
                                                 const std::vector<Document>& documents) {
  std::map<std::string, int64_t> counts;
  for (const Document& document : documents)
    for (const auto& token : std::set<std::string>(document.begin(), document.end()))
      ++counts[token];
  std::vector<double> weights;
  for (const auto& token : tokens)
    weights.push_back(std::log(1 + static_cast<double>(documents.size()) /
                                       (1 + static_cast<double>(counts[token]))));
  return weights;
}

namespace {
std::string known_text(int64_t id) {
  if (auto text = text_of_id(id)) return *std::move(text);
  throw InvalidArgument(fmt::format("{} is the id of no string that was read.", id));
}
}  // namespace

std::vector<Document> texts_of_rows(const Array& ids) {
  if (ids.dtype() != DType::int64)
    throw InvalidArgument(
        fmt::format("expected strings, got an array of {}.", name_of(ids.dtype())));
  const int64_t rows = ids.shape().rank() == 0 ? 1 : ids.length();
  const int64_t width = rows == 0 ? 0 : ids.size() / rows;
  std::vector<Document> documents(static_cast<size_t>(rows));
  for (int64_t i = 0; i < ids.size(); ++i)
    documents[static_cast<size_t>(i / width)].push_back(
        ids.holds_strings() ? std::string(ids.text(i))
                            : known_text(ids.data<int64_t>()[static_cast<size_t>(i)]));
  return documents;
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
void set_vocabulary(const LayerRef& layer, const std::vector<std::string>& vocabulary,
                    const std::vector<double>& idf_weights) {
  holder(layer).set_vocabulary(vocabulary, idf_weights);
}
void adapt(const LayerRef& layer, const std::vector<std::string>& tokens) {
  holder(layer).learn_vocabulary(tokens);
}

Array string_ids(const std::vector<std::string>& strings, const Shape& shape) {
  return Array::strings(strings, shape);
}

}  // namespace layers
}  // namespace stoker
