#include "io/records/infer_features.h"

#include <map>

#include "io/records/feature_reader.h"

namespace stoker {
namespace {

using protobuf::Field;
using protobuf::FieldReader;

// The type of list in a Feature. None: it is empty.
std::optional<size_t> type_in(std::string_view feature, const char* origin) {
  Field field;
  for (FieldReader fields(feature, origin); fields.next(field);)
    if (field.number <= 3) return field.number - 1;
  return std::nullopt;
}

void infer_entry(const features::Entry& entry, const char* origin,
                 std::map<std::string, FixedLenFeature>& found) {
  const auto type = type_in(entry.value, origin);
  if (!type) return;
  FeatureValues values;
  features::clear(values, *type);
  features::read_feature(entry.value, origin, entry.key, values);
  const auto count = static_cast<int64_t>(features::count(values));
  const std::string key(entry.key);
  found[key] = {key, static_cast<FeatureType>(*type), count == 1 ? Shape{} : Shape{count}};
}

}  // namespace

std::vector<FixedLenFeature> infer_features(std::string_view example) {
  std::map<std::string, FixedLenFeature> found;
  Field field, entry;
  for (FieldReader fields(example, example.data()); fields.next(field);) {
    if (field.number != 1) continue;
    for (FieldReader entries(features::bytes_of(field), example.data()); entries.next(entry);)
      if (entry.number == 1)
        infer_entry(features::read_entry(features::bytes_of(entry), example.data()), example.data(),
                    found);
  }
  std::vector<FixedLenFeature> features;
  for (auto& [key, feature] : found) features.push_back(std::move(feature));
  return features;
}

}  // namespace stoker
