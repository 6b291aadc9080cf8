#pragma once
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stoker/example.h"

// tf.train.Example and SequenceExample: named lists of bytes, floats or integers.
namespace stoker {

// A feature's values. Bytes are views of the record, or of the parser for a default.
using FeatureValues =
    std::variant<std::vector<std::string_view>, std::vector<float>, std::vector<int64_t>>;
// Reads the features named by the specs; all others are skipped.
class ExampleParser {
 public:
  explicit ExampleParser(std::vector<FeatureSpec> specs);
  const std::vector<FeatureSpec>& specs() const { return specs_; }

  // One element per spec, in order. Reuses the memory of `out`.
  void parse(std::string_view example, std::vector<FeatureValues>& out) const;

 private:
  friend class SequenceExampleParser;
  void start(std::vector<FeatureValues>& out) const;
  void read_features(std::string_view features, const char* origin, std::vector<FeatureValues>& out,
                     std::vector<bool>& found) const;
  void finish(std::vector<FeatureValues>& out, const std::vector<bool>& found) const;

  std::vector<FeatureSpec> specs_;
  std::map<std::string, size_t, std::less<>> places_;
};

// A list of features, one per step: the values of all steps, and their number in each.
struct SequenceValues {
  FeatureValues values;
  std::vector<size_t> lengths;
};

// In a sequence, FixedLenFeature gives the number of values per step (its default is not used, and
// a missing list is an error); with VarLenFeature a list may be missing.
class SequenceExampleParser {
 public:
  SequenceExampleParser(std::vector<FeatureSpec> context, std::vector<FeatureSpec> sequence);
  void parse(std::string_view example, std::vector<FeatureValues>& context,
             std::vector<SequenceValues>& sequence) const;

 private:
  void read_lists(std::string_view lists, const char* origin, std::vector<SequenceValues>& out,
                  std::vector<bool>& found) const;

  ExampleParser context_, sequence_;
};

// float32 or int64 values as an array of the shape.
Array array_of(const FeatureValues& values, const Shape& shape);

using Features = std::map<std::string, FeatureList>;
std::string serialize_example(const Features& features);
std::string serialize_sequence_example(
    const Features& context, const std::map<std::string, std::vector<FeatureList>>& sequence);

}  // namespace stoker
