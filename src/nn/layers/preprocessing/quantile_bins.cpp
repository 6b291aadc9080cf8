#include "nn/layers/preprocessing/quantile_bins.h"

#include <algorithm>
#include <numeric>

namespace stoker::nn {
namespace {

// Sorted values with their weights.
struct Summary {
  std::vector<double> values, weights;
};

Summary summarize(std::vector<float> numbers, double epsilon) {
  std::ranges::sort(numbers);
  const double step = std::max(static_cast<double>(numbers.size()) * epsilon, 1.0);
  Summary summary;
  for (auto i = static_cast<size_t>(step - 1); i < numbers.size(); i += static_cast<size_t>(step)) {
    summary.values.push_back(numbers[i]);
    summary.weights.push_back(static_cast<float>(step));
  }
  return summary;
}

// Piecewise linear interpolation of the points (at, value), constant beyond the ends.
double interpolate(double x, const std::vector<double>& at, const std::vector<double>& value) {
  const auto upper = std::ranges::upper_bound(at, x);
  if (upper == at.begin()) return value.front();
  if (upper == at.end()) return value.back();
  const auto i = static_cast<size_t>(upper - at.begin());
  return value[i - 1] + (x - at[i - 1]) * (value[i] - value[i - 1]) / (at[i] - at[i - 1]);
}

Summary compress(const Summary& summary, double epsilon) {
  if (static_cast<double>(summary.values.size()) * epsilon < 1) return summary;
  std::vector<double> sums(summary.weights.size());
  std::partial_sum(summary.weights.begin(), summary.weights.end(), sums.begin());
  std::vector<double> shares;
  for (double sum : sums) shares.push_back(sum / sums.back());
  Summary shorter;
  double before = 0;
  for (int64_t i = 0; static_cast<double>(i) * epsilon < 1.0; ++i) {
    const double share = epsilon + static_cast<double>(i) * epsilon;
    shorter.values.push_back(static_cast<float>(interpolate(share, shares, summary.values)));
    const double sum = interpolate(share, shares, sums);
    shorter.weights.push_back(static_cast<float>(sum - before));
    before = sum;
  }
  return shorter;
}

}  // namespace

std::vector<double> quantile_bins(std::vector<float> values, int64_t bins, double epsilon) {
  const Summary all = compress(summarize(std::move(values), epsilon), epsilon);
  std::vector<double> ends = compress(all, 1.0 / static_cast<double>(bins)).values;
  if (!ends.empty()) ends.pop_back();
  return ends;
}

}  // namespace stoker::nn
