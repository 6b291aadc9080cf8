#include "io/records/feature_reader.h"

#include <cstring>

namespace stoker::features {

using protobuf::Field;
using protobuf::FieldReader;
using protobuf::Wire;

const std::string& key_of(const FeatureSpec& spec) {
  return std::visit([](const auto& s) -> const std::string& { return s.key; }, spec);
}

size_t type_of(const FeatureSpec& spec) {
  return static_cast<size_t>(std::visit([](const auto& s) { return s.dtype; }, spec));
}

void fail(std::string_view key, const std::string& what, std::string hint) {
  throw IoError(fmt::format("feature \"{}\" {}.", key, what), std::move(hint));
}

// A known field with a wrong wire type is damage, not an unknown field.
std::string_view bytes_of(const Field& field) {
  if (field.wire == Wire::delimited) return field.bytes;
  IoError error(fmt::format("a damaged message: field {} has wire type {} instead of 2.",
                            field.number, static_cast<int>(field.wire)));
  error.add_where(fmt::format("byte {} of the message", field.offset));
  throw error;
}

namespace {

void add_values(std::vector<std::string_view>& out, const Field& field, std::string_view,
                const char*) {
  out.push_back(bytes_of(field));
}

void add_values(std::vector<float>& out, const Field& field, std::string_view key, const char*) {
  if (field.wire != Wire::delimited && field.wire != Wire::fixed32)
    fail(key, "is damaged: a float of another form");
  if (field.bytes.size() % sizeof(float) != 0)
    fail(key, fmt::format("is damaged: {} bytes of packed floats", field.bytes.size()));
  const size_t before = out.size();
  out.resize(before + field.bytes.size() / sizeof(float));
  if (!field.bytes.empty())
    std::memcpy(out.data() + before, field.bytes.data(), field.bytes.size());
}

void add_values(std::vector<int64_t>& out, const Field& field, std::string_view key,
                const char* origin) {
  if (field.wire == Wire::varint) {
    out.push_back(static_cast<int64_t>(field.value));
    return;
  }
  if (field.wire != Wire::delimited) fail(key, "is damaged: an integer of another form");
  for (FieldReader packed(field.bytes, origin); !packed.done();)
    out.push_back(static_cast<int64_t>(packed.varint()));
}

}  // namespace

bool read_feature(std::string_view feature, const char* origin, std::string_view key,
                  FeatureValues& out) {
  bool any = false;
  Field list, value;
  for (FieldReader lists(feature, origin); lists.next(list);) {
    if (list.number > 3) continue;
    if (list.number != out.index() + 1)
      fail(key, fmt::format("has {} values, not the requested {}", type_names[list.number - 1],
                            type_names[out.index()]));
    any = true;
    for (FieldReader values(bytes_of(list), origin); values.next(value);)
      if (value.number == 1) std::visit([&](auto& to) { add_values(to, value, key, origin); }, out);
  }
  return any;
}

Entry read_entry(std::string_view entry, const char* origin) {
  Entry out;
  Field field;
  for (FieldReader fields(entry, origin); fields.next(field);) {
    if (field.number == 1) out.key = bytes_of(field);
    if (field.number == 2) out.value = bytes_of(field);
  }
  return out;
}

size_t count(const FeatureValues& values) {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

void clear(FeatureValues& values, size_t type) {
  if (values.index() == type)
    std::visit([](auto& list) { list.clear(); }, values);
  else if (type == 0)
    values.emplace<0>();
  else if (type == 1)
    values.emplace<1>();
  else
    values.emplace<2>();
}

}  // namespace stoker::features
