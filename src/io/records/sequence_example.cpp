#include "io/records/feature_reader.h"

namespace stoker {

using features::bytes_of;
using features::clear;
using features::count;
using features::Entry;
using features::key_of;
using features::read_entry;
using features::read_feature;
using features::type_of;
using protobuf::Field;
using protobuf::FieldReader;

namespace {

// The features of a list, one per step.
void read_steps(std::string_view list, const char* origin, const FeatureSpec& spec,
                SequenceValues& out) {
  const auto* fixed = std::get_if<FixedLenFeature>(&spec);
  clear(out.values, type_of(spec));
  out.lengths.clear();
  Field step;
  for (FieldReader steps(list, origin); steps.next(step);) {
    if (step.number != 1) continue;
    const size_t before = count(out.values), number = out.lengths.size();
    features::at_byte(step.offset, [&] {
      read_feature(bytes_of(step), origin, key_of(spec), out.values);
      out.lengths.push_back(count(out.values) - before);
      if (fixed && out.lengths.back() != static_cast<size_t>(fixed->shape.size()))
        features::fail(fixed->key, fmt::format("has {} values in step {}, shape {} needs {}",
                                               out.lengths.back(), number, to_string(fixed->shape),
                                               fixed->shape.size()));
    });
  }
}

}  // namespace

SequenceExampleParser::SequenceExampleParser(std::vector<FeatureSpec> context,
                                             std::vector<FeatureSpec> sequence)
    : context_(std::move(context)), sequence_(std::move(sequence)) {}

void SequenceExampleParser::parse(std::string_view example, std::vector<FeatureValues>& context,
                                  std::vector<SequenceValues>& sequence) const {
  std::vector<bool> in_context(context_.specs_.size()), in_sequence(sequence_.specs_.size());
  context_.start(context);
  sequence.resize(sequence_.specs_.size());
  for (size_t i = 0; i < sequence.size(); ++i) {
    clear(sequence[i].values, type_of(sequence_.specs_[i]));
    sequence[i].lengths.clear();
  }
  Field field;
  for (FieldReader fields(example, example.data()); fields.next(field);) {
    if (field.number == 1)
      context_.read_features(bytes_of(field), example.data(), context, in_context);
    if (field.number == 2) read_lists(bytes_of(field), example.data(), sequence, in_sequence);
  }
  context_.finish(context, in_context);
  for (size_t i = 0; i < sequence.size(); ++i)
    if (const auto* fixed = std::get_if<FixedLenFeature>(&sequence_.specs_[i]);
        fixed && !in_sequence[i])
      features::fail(fixed->key, "is missing among the lists of features",
                     "ask for a VarLenFeature if it may be.");
}

void SequenceExampleParser::read_lists(std::string_view lists, const char* origin,
                                       std::vector<SequenceValues>& out,
                                       std::vector<bool>& found) const {
  Field field;
  for (FieldReader fields(lists, origin); fields.next(field);) {
    if (field.number != 1) continue;
    const Entry entry = read_entry(bytes_of(field), origin);
    const auto place = sequence_.places_.find(entry.key);
    if (place == sequence_.places_.end()) continue;
    found[place->second] = true;
    read_steps(entry.value, origin, sequence_.specs_[place->second], out[place->second]);
  }
}

}  // namespace stoker
