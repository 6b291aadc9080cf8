#include "report/downsample.h"

#include <algorithm>
#include <cmath>

namespace stoker::report {
namespace {

// NaN counts as the highest value, so that it stays visible.
bool below(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The indices of the minimum and maximum in [begin, end).
std::pair<size_t, size_t> extremes(const std::vector<double>& values, size_t begin, size_t end) {
  size_t low = begin, high = begin;
  for (size_t i = begin; i < end; ++i) {
    if (below(values[i], values[low])) low = i;
    if (below(values[high], values[i])) high = i;
  }
  return {low, high};
}

}  // namespace

void downsample(RunRecord::Curve& curve, size_t most) {
  const size_t count = curve.values.size(), parts = (most - 2) / 2;
  if (count <= most) return;
  std::vector<size_t> kept{0};
  for (size_t part = 0; part < parts; ++part) {
    const auto [low, high] = extremes(curve.values, 1 + part * (count - 2) / parts,
                                      1 + (part + 1) * (count - 2) / parts);
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
  }
  kept.push_back(count - 1);
  RunRecord::Curve thin{curve.name, {}, {}};
  for (const size_t i : kept) {
    thin.epochs.push_back(curve.epochs[i]);
    thin.values.push_back(curve.values[i]);
  }
  curve = std::move(thin);
}

}  // namespace stoker::report
