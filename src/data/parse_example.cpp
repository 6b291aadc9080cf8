#include <fmt/format.h>

#include "data/value_column.h"
#include "io/records/example.h"
#include "io/records/feature_reader.h"
#include "stoker/example.h"

namespace stoker {
namespace {

data::ValueColumn empty_column(FeatureType type) {
  switch (type) {
    case FeatureType::bytes:
      return data::ValueColumn::strings();
    case FeatureType::float32:
      return data::ValueColumn::floats();
    case FeatureType::int64:
      break;
  }
  return data::ValueColumn::integers();
}

// The values of each feature, one example after the other.
std::vector<data::ValueColumn> columns_of(const Array& serialized, const ExampleParser& parser) {
  std::vector<data::ValueColumn> columns;
  for (const FeatureSpec& spec : parser.specs())
    columns.push_back(empty_column(static_cast<FeatureType>(features::type_of(spec))));
  std::vector<FeatureValues> values;
  for (int64_t row = 0; row < serialized.size(); ++row) {
    parser.parse(serialized.text(row), values);
    for (size_t i = 0; i < columns.size(); ++i)
      std::visit(
          [&](const auto& list) {
            for (const auto& value : list) columns[i].add(value);
          },
          values[i]);
  }
  return columns;
}

Element table_of(const ExampleParser& parser, std::vector<Array> arrays) {
  std::vector<std::string> names;
  for (const FeatureSpec& spec : parser.specs()) names.push_back(features::key_of(spec));
  const std::vector<Structure> parts(names.size());
  return {Structure::table(std::move(names), parts), std::move(arrays)};
}

}  // namespace

ExampleFeatures::ExampleFeatures(std::vector<FeatureSpec> specs)
    : parser_(std::make_shared<ExampleParser>(std::move(specs))) {}

Element parse_single_example(const Array& serialized, const ExampleFeatures& wanted) {
  if (serialized.shape().rank() != 0)
    throw InvalidArgument(fmt::format("parse_single_example takes one string, got {}.",
                                      to_string(spec_of(serialized))),
                          "parse_example takes a batch of them.");
  const auto columns = columns_of(serialized, wanted.parser());
  std::vector<Array> arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto* fixed = std::get_if<FixedLenFeature>(&wanted.parser().specs()[i]);
    arrays.push_back(columns[i].array(fixed ? fixed->shape : Shape{columns[i].size()}));
  }
  return table_of(wanted.parser(), std::move(arrays));
}

Element parse_example(const Array& serialized, const ExampleFeatures& wanted) {
  if (serialized.shape().rank() != 1)
    throw InvalidArgument(fmt::format("parse_example takes a batch of strings, got {}.",
                                      to_string(spec_of(serialized))));
  std::vector<Shape> shapes;
  for (const FeatureSpec& spec : wanted.parser().specs()) {
    const auto* fixed = std::get_if<FixedLenFeature>(&spec);
    if (!fixed)
      throw InvalidArgument(
          fmt::format("feature \"{}\" may have another length in each example of a batch.",
                      features::key_of(spec)),
          "map with parse_single_example before padded_batch.");
    shapes.push_back(fixed->shape.with_front(serialized.length()));
  }
  const auto columns = columns_of(serialized, wanted.parser());
  std::vector<Array> arrays;
  for (size_t i = 0; i < columns.size(); ++i) arrays.push_back(columns[i].array(shapes[i]));
  return table_of(wanted.parser(), std::move(arrays));
}

}  // namespace stoker
