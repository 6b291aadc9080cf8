#include <fmt/format.h>

#include "data/feeds/dataset_feed.h"

// Results of user functions are not trusted: a step reads as many bytes as its inputs have.
namespace stoker::data {
namespace {

std::string kinds_of_rows(const std::vector<TensorType>& columns) {
  std::string rows;
  for (const TensorType& column : columns)
    rows +=
        (rows.empty() ? "" : ", ") + to_string(TensorType{column.dtype, column.shape.drop_front()});
  return rows;
}

}  // namespace

// Ranks sum over equal steps: their batches have the shapes of the first one.
bool DatasetFeed::is_right(const Element& element) const {
  const auto& arrays = element.arrays();
  const bool ranks = plan_.division.size > 1;
  const size_t x = source_.order[0];
  const int64_t rows = x < arrays.size() && arrays[x].shape().rank() > 0 ? arrays[x].length() : 0;
  if (rows == 0 || (rows > source_.rows && (ranks || !source_.any_rows))) return false;
  if (divided_ && rows != plan_.slice(divided_->rows(delivered_)).here) return false;
  for (size_t c = 0; c < source_.order.size(); ++c) {
    if (source_.order[c] >= arrays.size()) return false;
    TensorType type = arrays[source_.order[c]].type();
    if (!source_.allows(c, type) || type.shape[0] != rows) return false;
    type.shape[0] = source_.columns[c].shape[0];
    if (ranks && type != source_.columns[c]) return false;
  }
  return true;
}

void DatasetFeed::check(const Element& element) const {
  if (is_right(element)) return check_values(element);
  const bool ranks = plan_.division.size > 1;
  const bool any_rows = source_.any_rows && !ranks;
  InvalidArgument error(
      fmt::format("the batch is {}, but the dataset's batches are of {} rows of {}.",
                  to_string(spec_of(element)),
                  any_rows ? "any" : fmt::format("up to {}", source_.rows),
                  kinds_of_rows(ranks ? source_.columns : source_.allowed)),
      ranks ? "several processes need batches of one shape, except that the last one may have "
              "fewer rows: give padded_batch the padded_shapes that all batches have."
            : "all batches need the same types, and these known dimensions.");
  error.add_where(place_of(*source_.dataset.stage(), delivered_));
  throw error;
}

void DatasetFeed::check_values(const Element& element) const {
  at_element(*source_.dataset.stage(), delivered_, [&] {
    for (size_t c = 0; c < limits_.size(); ++c)
      check_limit(element.arrays()[source_.order[c]], limits_[c], "row");
  });
}

}  // namespace stoker::data
