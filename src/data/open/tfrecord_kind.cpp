#include <fmt/format.h>

#include "data/open/image_bytes.h"
#include "data/open/source_kind.h"
#include "data/sources/braces.h"
#include "data/sources/list_files.h"
#include "io/records/infer_features.h"
#include "stoker/example.h"
#include "stoker/record_datasets.h"

namespace stoker::data {
namespace {

Array first_record(const Dataset& records, const std::string& path) {
  for (const Element& record : records) return record.array();
  throw IoError(fmt::format("\"{}\" has no record.", path));
}

// The feature that contains an image file; empty: none.
std::string image_feature(const Element& example) {
  for (size_t i = 0; i < example.arrays().size(); ++i) {
    const Array& value = example.arrays()[i];
    if (value.holds_strings() && value.size() == 1 && is_image(value.text()))
      return example.structure().names()[i];
  }
  return {};
}

// Images as (pixels, target), decoded and transformed by the worker threads.
Dataset with_images(const Dataset& records, const ExampleFeatures& features,
                    const std::string& image, const std::vector<std::string>& names,
                    const std::string& path, const OpenDatasetArgs& args) {
  const std::string target = target_among(names, path, args);
  const Dataset samples = records.map(
      [=](const Array& record) {
        const Element example = parse_single_example(record, features);
        const Element bytes = bytes_of(example[image].array());
        return target.empty() ? bytes : Element::tuple({bytes, example[target]});
      },
      {.num_parallel_calls = AUTOTUNE});
  return in_batches(args.keep_files ? samples : samples.map(image_transform(path, args)), args);
}

// Assumes the features of the first record for all.
OpenedDataset open_tfrecords(const std::string& path, const OpenDatasetArgs& args) {
  const Dataset records =
      TFRecordDataset(files_matching(expand_braces(path), "open_dataset"),
                      {.compression_type = has_ending(path, {".gz"}) ? "GZIP" : ""});
  const Array first = first_record(records, path);
  std::vector<FeatureSpec> specs;
  std::vector<std::string> names;
  for (const FixedLenFeature& feature : infer_features(first.text())) {
    names.push_back(feature.key);
    specs.emplace_back(feature);
  }
  const ExampleFeatures features(specs);
  const std::string image = image_feature(parse_single_example(first, features));
  if (!image.empty())
    return {{}, with_images(records, features, image, names, path, args), {}, !args.keep_files};
  const Dataset parsed =
      in_batches(records, args)
          .map(
              [features, batched = args.batch_size.has_value()](const Array& serialized) {
                return batched ? parse_example(serialized, features)
                               : parse_single_example(serialized, features);
              },
              {.num_parallel_calls = AUTOTUNE});
  return {{}, with_target(parsed, path, args)};
}

const RegisterKind tfrecords({"TFRecord",
                              "*.tfrecord, *.tfrecords, *.tfrec, also with .gz, {00..99} and *",
                              [](const std::string& path) {
                                return has_ending(path, {".tfrecord", ".tfrecords", ".tfrec",
                                                         ".tfrecord.gz", ".tfrecords.gz"});
                              },
                              open_tfrecords});

}  // namespace
}  // namespace stoker::data
