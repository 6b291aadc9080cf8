#include "io/records/example.h"

#include "io/records/feature_reader.h"

namespace stoker {
namespace {

using features::bytes_of;
using features::clear;
using features::count;
using features::Entry;
using features::key_of;
using features::read_entry;
using features::read_feature;
using features::type_names;
using features::type_of;
using protobuf::Field;
using protobuf::FieldReader;

void put_default(const FixedLenFeature& spec, FeatureValues& out) {
  const auto size = static_cast<size_t>(spec.shape.size());
  std::visit(
      [&](const auto& given) {
        using List = std::decay_t<decltype(given)>;
        using Value = std::conditional_t<std::is_same_v<List, std::vector<std::string>>,
                                         std::string_view, typename List::value_type>;
        auto& list = out.emplace<std::vector<Value>>(given.begin(), given.end());
        if (given.size() == 1) list.resize(size, list[0]);
      },
      *spec.default_value);
}

void check_spec(const FixedLenFeature& spec) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw InvalidArgument(fmt::format("feature \"{}\" {}.", spec.key, what), hint);
  };
  for (const int64_t dim : spec.shape)
    if (dim < 0)
      fail(fmt::format("has shape {}", to_string(spec.shape)),
           "VarLenFeature takes any number of values.");
  if (!spec.default_value) return;
  if (spec.default_value->index() != type_of(spec))
    fail(fmt::format("is of {} but its default of {}", type_names[type_of(spec)],
                     type_names[spec.default_value->index()]),
         "");
  const auto values = std::visit([](const auto& list) { return list.size(); }, *spec.default_value);
  if (values != 1 && values != static_cast<size_t>(spec.shape.size()))
    fail(fmt::format("has {} values as its default, shape {} has {}", values, to_string(spec.shape),
                     spec.shape.size()),
         "give one value, or as many as the shape has.");
}
void check_spec(const VarLenFeature&) {}

}  // namespace

ExampleParser::ExampleParser(std::vector<FeatureSpec> specs) : specs_(std::move(specs)) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    std::visit([](const auto& spec) { check_spec(spec); }, specs_[i]);
    if (!places_.emplace(key_of(specs_[i]), i).second)
      throw InvalidArgument(fmt::format("feature \"{}\" is requested twice.", key_of(specs_[i])));
  }
}

void ExampleParser::parse(std::string_view example, std::vector<FeatureValues>& out) const {
  std::vector<bool> found(specs_.size());
  start(out);
  Field field;
  for (FieldReader fields(example, example.data()); fields.next(field);)
    if (field.number == 1) read_features(bytes_of(field), example.data(), out, found);
  finish(out, found);
}

void ExampleParser::start(std::vector<FeatureValues>& out) const {
  out.resize(specs_.size());
  for (size_t i = 0; i < out.size(); ++i) clear(out[i], type_of(specs_[i]));
}

// The last of duplicate keys wins, as in TensorFlow.
void ExampleParser::read_features(std::string_view features, const char* origin,
                                  std::vector<FeatureValues>& out, std::vector<bool>& found) const {
  Field field;
  for (FieldReader fields(features, origin); fields.next(field);) {
    if (field.number != 1) continue;
    const Entry entry = read_entry(bytes_of(field), origin);
    const auto place = places_.find(entry.key);
    if (place == places_.end()) continue;
    const size_t i = place->second;
    clear(out[i], type_of(specs_[i]));
    features::at_byte(field.offset,
                      [&] { found[i] = read_feature(entry.value, origin, entry.key, out[i]); });
  }
}

void ExampleParser::finish(std::vector<FeatureValues>& out, const std::vector<bool>& found) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    const auto* fixed = std::get_if<FixedLenFeature>(&specs_[i]);
    if (!fixed) continue;
    if (!found[i] && !fixed->default_value)
      features::fail(fixed->key, "is missing and has no default",
                     "give it a default_value, or ask for a VarLenFeature.");
    if (!found[i])
      put_default(*fixed, out[i]);
    else if (count(out[i]) != static_cast<size_t>(fixed->shape.size()))
      features::fail(fixed->key, fmt::format("has {} values, shape {} needs {}", count(out[i]),
                                             to_string(fixed->shape), fixed->shape.size()));
  }
}

Array array_of(const FeatureValues& values, const Shape& shape) {
  if (const auto* floats = std::get_if<std::vector<float>>(&values))
    return Array::from(*floats, shape);
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&values))
    return Array::from(*ints, shape);
  throw InvalidArgument("an array of bytes features.", "decode them first.");
}

}  // namespace stoker
