#include <fmt/format.h>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/sort.h"

// Quantiles and medians, as numpy defines them.
namespace stoker::nn {

struct QuantileArgs : ReductionArgs {
  std::string method = "linear";
};
template <class V>
void visit(QuantileArgs& a, V& v) {
  v("axis", a.axis);
  v("method", a.method);
  v("keepdims", a.keepdims);
}

namespace {

using Results = std::vector<Tensor>;
enum class Nans { spread, skipped };

// The interpolation weight of the upper neighbour at a fractional position.
Tensor share_of_upper(const Tensor& place, const Tensor& low, const std::string& method) {
  const Tensor rest = place - low;
  const Tensor is_between = ops::cast(ops::greater(rest, 0.0), rest.dtype());
  if (method == "linear") return rest;
  if (method == "lower") return ops::zeros_like(rest);
  if (method == "higher") return is_between;
  if (method == "midpoint") return is_between * 0.5;
  if (method == "nearest") return rounded_half_even(place) - low;
  throw InvalidArgument(fmt::format("the method \"{}\" is unknown.", method),
                        "use linear, lower, higher, midpoint or nearest.");
}

// A neighbour with weight 0 may be infinite.
Tensor mixed(const Tensor& low, const Tensor& high, const Tensor& upper) {
  const Tensor both = low * (1.0 - upper) + high * upper;
  return ops::where(ops::equal(upper, 0.0), low, ops::where(ops::equal(upper, 1.0), high, both));
}

// The last valid index of each sorted row, (…, 1) in float64, which is exact for long rows, too.
Tensor last_places(const Tensor& rows, Nans nans) {
  std::vector<int64_t> one = rows.shape().dims();
  one.back() = 1;
  if (nans == Nans::spread)
    return ops::fill(Shape(one), static_cast<double>(rows.shape().back() - 1), DType::float64);
  const Tensor numbers = ops::cast(ops::equal(rows, rows), DType::float64);
  const Tensor count = ops::sum(numbers, {.axis = {-1}, .keepdims = true});
  return ops::maximum(count - 1.0, 0.0);
}

// Quantiles (…, q) of sorted rows. NaNs are sorted last; unless ignored they are the result.
Tensor quantiles_of_rows(const Tensor& rows, const Array& shares, const std::string& method,
                         Nans nans) {
  const Tensor last = last_places(rows, nans);
  const Tensor place = last * Tensor(shares), low = ops::floor(place);
  const Tensor upper = ops::cast(share_of_upper(place, low, method), rows.dtype());
  const auto at = [&](const Tensor& places) {
    return ops::take_along_axis(rows, ops::cast(places, DType::int32));
  };
  const Tensor value = mixed(at(low), at(ops::minimum(low + 1.0, last)), upper);
  if (nans == Nans::skipped) return value;
  const Tensor largest = at(last);
  return ops::where(ops::equal(largest, largest), value, largest);
}

// One q, or a list of them, which adds a leading axis.
struct Shares {
  Array values;  // (q), in [0, 1]
  bool is_list = false;
};
Shares shares_at(const OperationCall& call, size_t i, double whole) {
  const Config& given = call.value(i);
  std::vector<double> values;
  if (given.is_list())
    for (const Config& one : given.as_list()) values.push_back(one.as_double() / whole);
  else if (given.is_number())
    values.push_back(given.as_double() / whole);
  else
    throw Unsupported("quantiles given as tensors are not supported.", "give numbers.");
  for (const double share : values)
    if (!(share >= 0 && share <= 1))
      throw InvalidArgument(fmt::format("quantile {} is out of range.", share * whole),
                            fmt::format("from 0 to {}.", whole));
  const auto count = static_cast<int64_t>(values.size());
  return {Array::from(values, {count}), given.is_list()};
}

Tensor quantiles_of(const Tensor& given, const ReductionArgs& a, const Shares& shares,
                    const std::string& method, Nans nans) {
  const Tensor x = as_float(given);
  const auto axes = axes_of(a.axis, x.shape().rank());
  const Tensor rows = ops::sort(with_axes_last(x, axes));
  const Tensor found = quantiles_of_rows(rows, shares.values, method, nans);
  const Shape reduced = reduced_shape(x.shape(), axes, a.keepdims);
  if (!shares.is_list) return ops::reshape(found, reduced);
  return ops::reshape(moved(found, -1, 0), reduced.with_front(shares.values.size()));
}

template <Nans nans>
Results median(const ReductionArgs& a, const OperationCall& call) {
  const Shares half{Array::from<double>({0.5}, {1})};
  return {quantiles_of(call.tensor(0), a, half, "linear", nans)};
}
template <int whole, Nans nans = Nans::spread>
Results quantile(const QuantileArgs& a, const OperationCall& call) {
  return {quantiles_of(call.tensor(0), a, shares_at(call, 1, whole), a.method, nans)};
}
// Keras's operation does not pass its method on.
Results linear_quantile(const QuantileArgs& a, const OperationCall& call) {
  return {quantiles_of(call.tensor(0), a, shares_at(call, 1, 1), "linear", Nans::spread)};
}

const RegisterOperation<ReductionArgs> medians{"numpy", "Median", median<Nans::spread>};
const RegisterOperation<ReductionArgs> nanmedians{"numpy", "Nanmedian", median<Nans::skipped>};
const RegisterOperation<QuantileArgs> quantiles{"numpy", "Quantile", linear_quantile};
const RegisterOperation<QuantileArgs> percentiles{"numpy", "Percentile", quantile<100>};
const RegisterOperation<QuantileArgs> nanquantiles{"numpy", "Nanquantile",
                                                   quantile<1, Nans::skipped>};
const RegisterOperation<QuantileArgs> nanpercentiles{"numpy", "Nanpercentile",
                                                     quantile<100, Nans::skipped>};

}  // namespace
}  // namespace stoker::nn
