#include <fmt/format.h>

#include <algorithm>

#include "data/stages/grouping/group_by_window.h"

namespace stoker::data {
namespace {

void check(const std::vector<int64_t>& boundaries, const std::vector<int64_t>& batch_sizes) {
  if (batch_sizes.size() != boundaries.size() + 1)
    throw InvalidArgument(fmt::format("{} bucket_batch_sizes for {} bucket_boundaries.",
                                      batch_sizes.size(), boundaries.size()),
                          "there is one bucket more than boundaries, for longer elements.");
  if (std::ranges::adjacent_find(boundaries, std::greater_equal()) != boundaries.end())
    throw InvalidArgument(
        fmt::format("bucket_boundaries must increase, got {}.", fmt::join(boundaries, ", ")));
  if (std::ranges::any_of(batch_sizes, [](int64_t size) { return size < 1; }))
    throw InvalidArgument(
        fmt::format("bucket_batch_sizes must be positive, got {}.", fmt::join(batch_sizes, ", ")));
}

class Buckets {
 public:
  Buckets(const std::vector<int64_t>& boundaries, const std::vector<int64_t>& batch_sizes,
          const BucketArgs& args, const std::source_location& created)
      : boundaries_(boundaries), batch_sizes_(batch_sizes), args_(args), created_(created) {}

  int64_t of(int64_t length) const {
    return std::ranges::upper_bound(boundaries_, length) - boundaries_.begin();
  }
  int64_t batch_size(int64_t bucket) const { return batch_sizes_[static_cast<size_t>(bucket)]; }

  Dataset batch(int64_t bucket, const Dataset& window,
                const std::optional<ElementSpec>& spec) const {
    const int64_t size = batch_size(bucket);
    if (args_.no_padding)
      return window.batch(size, {.drop_remainder = args_.drop_remainder}, created_);
    return window.padded_batch(
        size,
        {.padded_shapes = args_.pad_to_bucket_boundary ? shapes_to_boundary(bucket, window, spec)
                                                       : args_.padded_shapes,
         .padding_values = args_.padding_values,
         .drop_remainder = args_.drop_remainder},
        created_);
  }

 private:
  // As in tf.data: all unknown dimensions are the largest length of the bucket.
  std::vector<Shape> shapes_to_boundary(int64_t bucket, const Dataset& window,
                                        const std::optional<ElementSpec>& spec) const {
    if (bucket == static_cast<int64_t>(boundaries_.size()))
      throw InvalidArgument(
          fmt::format("with pad_to_bucket_boundary, elements must be shorter than the last of "
                      "bucket_boundaries, {}.",
                      boundaries_.empty() ? 0 : boundaries_.back()),
          "filter longer ones, or give another boundary.");
    std::vector<Shape> shapes = args_.padded_shapes;
    if (shapes.empty()) shapes = spec ? shapes_of(*spec) : shapes_of_sequences(window);
    for (Shape& shape : shapes)
      for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] == unknown) shape[axis] = boundaries_[static_cast<size_t>(bucket)] - 1;
    return shapes;
  }
  static std::vector<Shape> shapes_of(const ElementSpec& spec) {
    std::vector<Shape> shapes;
    for (const TensorSpec& array : spec.arrays) shapes.push_back(array.shape);
    return shapes;
  }
  static std::vector<Shape> shapes_of_sequences(const Dataset& window) {
    std::vector<Shape> shapes;
    for (const TensorSpec& array : window.element_spec().arrays) {
      if (array.shape.rank() > 1)
        throw InvalidArgument(
            fmt::format("it is not known which dimensions of {} vary.", to_string(array)),
            "give padded_shapes, with `unknown` for these.");
      shapes.push_back(array.shape.rank() == 0 ? Shape() : Shape{unknown});
    }
    return shapes;
  }

  std::vector<int64_t> boundaries_, batch_sizes_;
  BucketArgs args_;
  std::source_location created_;
};

Grouping grouping_of(const std::shared_ptr<const Buckets>& buckets,
                     std::function<int64_t(const Element&)> length, const StageRef& before) {
  return {.key = [buckets, length = std::move(length)](
                     const Element& element) { return buckets->of(length(element)); },
          .size = [buckets](int64_t bucket) { return buckets->batch_size(bucket); },
          .reduce =
              [buckets, before](int64_t bucket, const Dataset& window) {
                return buckets->batch(bucket, window, before->spec());
              }};
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::bucket_element(Number length, const std::vector<int64_t>& bucket_boundaries,
                                const std::vector<int64_t>& bucket_batch_sizes,
                                const BucketArgs& args, const From& from) const {
  constexpr const char* name = "bucket_by_sequence_length";
  try {
    data::check(bucket_boundaries, bucket_batch_sizes);
  } catch (Error& error) {
    error.add_where(fmt::format("{}, created {}", name, to_string(from)));
    throw;
  }
  const auto buckets =
      std::make_shared<const data::Buckets>(bucket_boundaries, bucket_batch_sizes, args, from);
  data::Grouping grouping = data::grouping_of(buckets, std::move(length), stage_);
  grouping.batch_rows = std::ranges::max(bucket_batch_sizes);
  return Dataset(std::make_shared<data::GroupByWindow>(stage_, std::move(grouping), name, from));
}

}  // namespace stoker
