#include <bit>

#include "io/little_endian.h"
#include "io/protobuf.h"
#include "io/records/example.h"

namespace stoker {
namespace {

using protobuf::field;

std::string list_of(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += field(1, value);
  return out;
}

std::string list_of(const std::vector<float>& values) {
  std::string packed;
  for (const float value : values) packed += little_endian(std::bit_cast<uint32_t>(value));
  return packed.empty() ? packed : field(1, packed);
}

std::string list_of(const std::vector<int64_t>& values) {
  std::string packed;
  for (const int64_t value : values) packed += protobuf::varint(static_cast<uint64_t>(value));
  return packed.empty() ? packed : field(1, packed);
}

std::string feature(const FeatureList& list) {
  const int number = static_cast<int>(list.index()) + 1;
  return field(number, std::visit([](const auto& values) { return list_of(values); }, list));
}

std::string entry(const std::string& key, const std::string& value) {
  return field(1, field(1, key) + field(2, value));
}

std::string message_of(const Features& features) {
  std::string entries;
  for (const auto& [key, list] : features) entries += entry(key, feature(list));
  return entries;
}

}  // namespace

std::string serialize_example(const Features& features) { return field(1, message_of(features)); }

std::string serialize_sequence_example(
    const Features& context, const std::map<std::string, std::vector<FeatureList>>& sequence) {
  std::string lists;
  for (const auto& [key, steps] : sequence) {
    std::string joined;
    for (const FeatureList& step : steps) joined += field(1, feature(step));
    lists += entry(key, joined);
  }
  return field(1, message_of(context)) + field(2, lists);
}

}  // namespace stoker
