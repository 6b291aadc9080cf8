#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stoker/element.h"

// tf.train.Example: named lists of bytes, floats or integers, as stored in TFRecord files.
namespace stoker {

class ExampleParser;

enum class FeatureType { bytes, float32, int64 };  // the order of FeatureList's

using FeatureList =
    std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;

// As many values as the shape has; a missing feature has the default value, or is an error.
struct FixedLenFeature {
  std::string key;
  FeatureType dtype = FeatureType::float32;
  Shape shape = {};
  std::optional<FeatureList> default_value = std::nullopt;  // a single value is repeated
};
// Any number of values; none if the feature is missing.
struct VarLenFeature {
  std::string key;
  FeatureType dtype = FeatureType::float32;
};
using FeatureSpec = std::variant<FixedLenFeature, VarLenFeature>;

// The features to read; all others are ignored.
class ExampleFeatures {
 public:
  ExampleFeatures(std::vector<FeatureSpec> specs);  // NOLINT
  ExampleFeatures(std::initializer_list<FeatureSpec> specs)
      : ExampleFeatures(std::vector<FeatureSpec>(specs)) {}
  const ExampleParser& parser() const { return *parser_; }

 private:
  std::shared_ptr<const ExampleParser> parser_;
};

// A dict of the features by their keys. `serialized` is one string; a VarLenFeature is an array
// with as many values as there are, for padded_batch.
Element parse_single_example(const Array& serialized, const ExampleFeatures& features);
// The same for a batch of strings: each feature has a leading batch dimension. VarLenFeatures are
// refused.
Element parse_example(const Array& serialized, const ExampleFeatures& features);

}  // namespace stoker
