#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

// The label sequence of a path of classes: repeats are merged, then blanks (0) removed.
std::vector<int> spelled(const std::vector<int>& path) {
  std::vector<int> labels;
  for (size_t t = 0; t < path.size(); ++t)
    if (path[t] != 0 && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
  return labels;
}

// Sums over all possible paths.
std::vector<double> by_enumeration(const std::vector<Array>& in) {
  const auto batch = in[1].shape()[0], times = in[1].shape()[1], classes = in[1].shape()[2];
  const int64_t length = in[0].shape()[1];
  std::vector<double> losses;
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<int> labels;
    for (int64_t i = 0; i < length; ++i)
      if (in[0].at(b * length + i) != 0)
        labels.push_back(static_cast<int>(in[0].at(b * length + i)));
    double sum = 0;
    std::vector<int> path(static_cast<size_t>(times), 0);
    for (bool more = true; more;) {
      double log_p = 0;
      for (int64_t t = 0; t < times; ++t)
        log_p += in[1].at((b * times + t) * classes + path[static_cast<size_t>(t)]);
      if (spelled(path) == labels) sum += std::exp(log_p);
      size_t t = 0;
      while (t < path.size() && ++path[t] == classes) path[t++] = 0;
      more = t < path.size();
    }
    losses.push_back(-std::log(sum));
  }
  return losses;
}

OpCase spell(const char* name, const std::vector<int32_t>& labels, int64_t batch, int64_t times,
             int64_t classes) {
  const auto length = static_cast<int64_t>(labels.size()) / batch;
  return {"ctc_loss",
          name,
          {Array::from(labels, {batch, length}), random_values({batch, times, classes}, 5)},
          {},
          by_enumeration};
}

const AddCases cases({spell("different", {1, 2}, 1, 4, 3), spell("repeated", {1, 1}, 1, 5, 3),
                      spell("padded", {2, 0, 0, 1, 3, 2, 3, 3, 0}, 3, 5, 4),
                      spell("nothing", {0, 0}, 1, 3, 2), spell("tight", {1, 2, 1}, 1, 3, 3)},
                     {{"ctc_loss",
                       "float_labels",
                       {{DType::float32, {1, 2}}, {DType::float32, {1, 3, 2}}},
                       {},
                       "integer labels"},
                      {"ctc_loss",
                       "other_batch",
                       {{DType::int32, {2, 2}}, {DType::float32, {1, 3, 2}}},
                       {},
                       "do not fit"}});

}  // namespace
}  // namespace stoker::testing
