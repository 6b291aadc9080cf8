#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stoker/element.h"

// tf.train.Example: named lists of bytes, floats or integers, as records of TFRecord files hold
// them.
namespace stoker {

class ExampleParser;

enum class FeatureType { bytes, float32, int64 };  // the order of FeatureList's

using FeatureList =
    std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;

// As many values as the shape has; where the feature is missing, the default's, or an error.
struct FixedLenFeature {
  std::string key;
  FeatureType dtype = FeatureType::float32;
  Shape shape = {};
  std::optional<FeatureList> default_value = std::nullopt;  // one value stands for all
};
// Any number of values; none where the feature is missing.
struct VarLenFeature {
  std::string key;
  FeatureType dtype = FeatureType::float32;
};
using FeatureSpec = std::variant<FixedLenFeature, VarLenFeature>;

// What is read of examples; everything else in them is passed over.
class ExampleFeatures {
 public:
  ExampleFeatures(std::vector<FeatureSpec> specs);  // NOLINT
  ExampleFeatures(std::initializer_list<FeatureSpec> specs)
      : ExampleFeatures(std::vector<FeatureSpec>(specs)) {}
  const ExampleParser& parser() const { return *parser_; }

 private:
  std::shared_ptr<const ExampleParser> parser_;
};

// A table of the features by their keys. `serialized` is one string; a VarLenFeature is an array of
// as many values as there are, which padded_batch takes.
Element parse_single_example(const Array& serialized, const ExampleFeatures& features);
// The same of a batch of strings: each feature has one more dimension in front. VarLenFeatures are
// refused.
Element parse_example(const Array& serialized, const ExampleFeatures& features);

}  // namespace stoker
