#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exec/traced_step.h"
#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"
#include "stoker/activations.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/sort.h"
#include "support/random_values.h"

namespace stoker::nn {
namespace {

using testing::random_values;

std::vector<double> listed(const Array& array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.size(); ++i) values.push_back(array.at(i));
  return values;
}
std::vector<double> listed(const Tensor& tensor) { return listed(tensor.array()); }

const Array twice = Array::from<float>({2, 1, 2, 1, NAN, 0, -0.0f, NAN}, {8});

TEST(Order, EqualElementsKeepTheirs) {
  EXPECT_EQ(listed(ops::argsort(twice)), (std::vector<double>{5, 6, 1, 3, 0, 2, 4, 7}));
  EXPECT_EQ(listed(ops::top_k(twice, 6).indices), (std::vector<double>{4, 7, 0, 2, 1, 3}));
}

TEST(Order, IsTheSameForEveryTypeThatHoldsTheNumbers) {
  const Array numbers = testing::random_indices({3, 5000}, 5, 100, DType::int32);
  const auto wanted = listed(ops::argsort(numbers));
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int8,
                      DType::uint8, DType::int64})
    EXPECT_EQ(listed(ops::argsort(numbers.astype(dtype))), wanted) << name_of(dtype);
}

TEST(Order, GoesAlongAnyAxis) {
  const Array x = Array::from<float>({3, 0, 1, 2, 4, 0, 2, 5}, {2, 2, 2});
  EXPECT_EQ(listed(ops::sort(x, 0)), (std::vector<double>{3, 0, 1, 2, 4, 0, 2, 5}));
  EXPECT_EQ(listed(ops::sort(x, 1)), (std::vector<double>{1, 0, 3, 2, 2, 0, 4, 5}));
  EXPECT_EQ(listed(ops::argsort(x, -2)), (std::vector<double>{1, 0, 0, 1, 1, 0, 0, 1}));
}

TEST(Order, GradientsOfTheLargestGoWhereTheyStood) {
  const Array x = Array::from<float>({1, 5, 5, 2, 9, 3, 9, 0}, {2, 4});
  GradientTape tape;
  const Tensor watched = x;
  const Tensor best = ops::top_k(watched, 2).values;
  const Array weights = Array::from<float>({10, 20, 30, 40}, {2, 2});
  EXPECT_EQ(listed(tape.gradient(best, {watched}, weights)[0]),
            (std::vector<double>{0, 10, 20, 0, 30, 0, 40, 0}));
}

TEST(Order, RefusesMoreOfTheLargestThanThereAre) {
  EXPECT_THROW(ops::top_k(twice, 9), InvalidArgument);
  EXPECT_THROW(ops::top_k(twice, 0), InvalidArgument);
}

// Along axis 1; q is the argument after the tensor, if any.
std::vector<double> of_rows(const char* operation, const Array& x, const Config::List& q = {}) {
  const Config config = Config::map({{"axis", 1}});
  const LayerRef layer =
      Registry<OperationRef>::instance()
          .make(Config::map({{"class_name", operation}, {"config", config}}), "operation")
          .layer;
  Config::List values{call_tensor(0)};
  values.insert(values.end(), q.begin(), q.end());
  CallArgs args;
  args.options = Config::map({{"args", values}, {"kwargs", Config::map()}});
  return listed(layer->call_all({x}, args)[0]);
}

const double inf = INFINITY;
const Array with_nans =
    Array::from<double>({3, NAN, 1, 2, NAN, NAN, NAN, NAN, NAN, 4, 6, NAN, inf, NAN, 1, -inf},
                        {4, 4})
        .astype(DType::float32);

TEST(Quantiles, AreNoNumberWhereSomethingOfTheRowIsNone) {
  for (const double value : of_rows("Median", with_nans)) EXPECT_TRUE(std::isnan(value));
  const Array numbers = Array::from<double>({1, 2, inf, 1, inf, inf, -inf, 7, inf}, {3, 3});
  EXPECT_EQ(of_rows("Median", numbers), (std::vector<double>{2, inf, 7}));
}

TEST(Quantiles, OfTheNumbersAloneLeaveOutTheOthers) {
  const auto medians = of_rows("Nanmedian", with_nans);
  EXPECT_EQ(medians[0], 2);
  EXPECT_TRUE(std::isnan(medians[1]));
  EXPECT_EQ(medians[2], 5);
  EXPECT_EQ(medians[3], 1);
  const auto quarters = of_rows("Nanquantile", with_nans, {Config(0.25)});
  EXPECT_EQ(quarters[0], 1.5);
  EXPECT_EQ(quarters[2], 4.5);
}

TEST(Numbers, AreWhatIsReducedWhereOthersStandBetween) {
  const Array rows = Array::from<float>({3, NAN, 1, NAN, NAN, NAN, 2, 4, NAN}, {3, 3});
  EXPECT_EQ(of_rows("Nansum", rows), (std::vector<double>{4, 0, 6}));
  EXPECT_EQ(of_rows("Nanprod", rows), (std::vector<double>{3, 1, 8}));
  EXPECT_EQ(of_rows("Nanargmax", rows), (std::vector<double>{0, -1, 1}));
  EXPECT_EQ(of_rows("Nanargmin", rows), (std::vector<double>{2, -1, 0}));
  EXPECT_EQ(of_rows("Nancumsum", rows), (std::vector<double>{3, 3, 4, 0, 0, 0, 2, 6, 6}));
  EXPECT_EQ(of_rows("Nancumprod", rows), (std::vector<double>{3, 3, 3, 1, 1, 1, 2, 8, 8}));
  for (const char* name : {"Nanmean", "Nanvar", "Nanstd"}) {
    const auto values = of_rows(name, rows);
    EXPECT_EQ(values[0], std::string(name) == "Nanmean" ? 2 : 1) << name;
    EXPECT_TRUE(std::isnan(values[1])) << name;
  }
}

TEST(Quantiles, BeyondTheWholeAreRefused) {
  EXPECT_THROW(of_rows("Quantile", with_nans, {Config(1.5)}), InvalidArgument);
  EXPECT_THROW(of_rows("Percentile", with_nans, {Config(-1.0)}), InvalidArgument);
}

// A comparison of all pairs would need 40 billion elements.
constexpr int64_t many = 200'000;
int64_t planned_bytes(const exec::TracedStep::Body& body) {
  return exec::TracedStep(body).plan_for({{DType::float32, {many}}}, {}).memory.arena_bytes;
}

TEST(Order, OfALongRowTakesMemoryForItsElementsAlone) {
  const Array x = random_values({many}, 3).astype(DType::float32);
  const std::span<const float> numbers = x.data<float>();
  std::vector<int32_t> wanted(many);
  std::iota(wanted.begin(), wanted.end(), 0);
  std::ranges::stable_sort(wanted, {}, [&](int32_t i) { return numbers[static_cast<size_t>(i)]; });
  const Array got = ops::argsort(x).array();
  EXPECT_TRUE(std::ranges::equal(got.data<int32_t>(), wanted));

  constexpr int64_t few = 64;  // bytes per element
  EXPECT_LE(planned_bytes([](const auto& in) { return std::vector{ops::argsort(in[0])}; }),
            few * many);
  EXPECT_LE(
      planned_bytes([](const auto& in) { return std::vector{activations::sparsemax(in[0])}; }),
      few * many);
  EXPECT_LE(planned_bytes([](const auto& in) {
              GradientTape tape;
              const Tensor row = in[0], best = ops::sum(ops::sort(row) * row);
              return tape.gradient(best, {row});
            }),
            few * many);
}

}  // namespace
}  // namespace stoker::nn
