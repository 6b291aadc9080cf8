#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

constexpr double epsilon = 1e-2;

struct Statistics {
  double mean = 0, variance = 0;
};
Statistics of_channel(const Array& x, int64_t channel) {
  const int64_t channels = x.shape().back(), rows = x.size() / channels;
  Statistics found;
  for (int64_t r = 0; r < rows; ++r)
    found.mean += x.at(r * channels + channel) / static_cast<double>(rows);
  for (int64_t r = 0; r < rows; ++r)
    found.variance +=
        std::pow(x.at(r * channels + channel) - found.mean, 2) / static_cast<double>(rows);
  return found;
}

Plain normalised(bool relu) {
  return [=](const std::vector<Array>& in) {
    return from_index(in[0].size(), [&](int64_t i) {
      const int64_t c = i % in[0].shape().back();
      const Statistics s = of_channel(in[0], c);
      const double added = in.size() > 3 ? in[3].at(i) : 0;
      const double y = (in[0].at(i) - s.mean) / std::sqrt(s.variance + epsilon) * in[1].at(c) +
                       in[2].at(c) + added;
      return relu ? std::max(y, 0.0) : y;
    });
  };
}

// From dy, x, mean, variance, gamma and beta.
Plain gradient(bool relu) {
  return [=](const std::vector<Array>& in) {
    const int64_t channels = in[1].shape().back(), rows = in[1].size() / channels;
    const auto unit = [&](int64_t i) {
      const int64_t c = i % channels;
      return (in[1].at(i) - in[2].at(c)) / std::sqrt(in[3].at(c) + epsilon);
    };
    const auto passed = [&](int64_t i) {
      const int64_t c = i % channels;
      return relu && unit(i) * in[4].at(c) + in[5].at(c) <= 0 ? 0 : in[0].at(i);
    };
    return from_index(in[1].size(), [&](int64_t i) {
      const int64_t c = i % channels;
      double along_mean = 0, along_unit = 0;
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t at = r * channels + c;
        along_mean += passed(at) / static_cast<double>(rows);
        along_unit += passed(at) * unit(at) / static_cast<double>(rows);
      }
      return in[4].at(c) / std::sqrt(in[3].at(c) + epsilon) *
             (passed(i) - along_mean - unit(i) * along_unit);
    });
  };
}

graph::Attrs attrs(bool relu) {
  graph::Attrs all{{"epsilon", epsilon}};
  if (relu) all.set("activation", std::string("relu"));
  return all;
}

std::vector<OpCase> batch_norm_cases() {
  struct Situation {
    const char* name;
    Shape x;
    double low, high;
    bool relu = false;
  };
  std::vector<OpCase> cases;
  for (const auto& [name, shape, low, high, relu] : {Situation{"rows", {6, 5}, -2, 2},
                                                     {"images", {3, 4, 2, 8}, -2, 2},
                                                     {"many_rows", {300, 3}, -1, 3},
                                                     {"off_zero", {40, 4}, 2, 4},
                                                     {"wide", {7, 70}, -2, 2}}) {
    const Array x = random_values(shape, 1, low, high), dy = random_values(shape, 2);
    const Shape row{shape.back()};
    const Array gamma = random_values(row, 3, 0.5, 2), beta = random_values(row, 4);
    cases.push_back({"batch_norm", name, {x, gamma, beta}, attrs(false), normalised(false)});
    graph::Attrs residual = attrs(false);
    residual.set("residual", int64_t{1});
    cases.push_back({"batch_norm",
                     std::string(name) + "_residual",
                     {x, gamma, beta, random_values(shape, 5)},
                     residual,
                     normalised(false)});
    std::vector<double> mean, variance;
    for (int64_t c = 0; c < shape.back(); ++c) {
      mean.push_back(of_channel(x, c).mean);
      variance.push_back(of_channel(x, c).variance);
    }
    cases.push_back({"batch_norm_grad",
                     name,
                     {dy, x, Array::from(mean, row), Array::from(variance, row), gamma, beta},
                     attrs(false),
                     gradient(false)});
  }
  return cases;
}

// With relu only values are compared: at its kink there is no gradient. Whether a value passes must
// not depend on rounding, so x is clearly on one side.
OpCase with_relu(const char* op) {
  const Array x = Array::from<double>({-1, 2, 3, -2, 5, -6, -3, 4, -5, 1, -7, 8}, {6, 2}),
              gamma = Array::from<double>({1, -2}, {2}),
              beta = Array::from<double>({0.5, 0.25}, {2}),
              mean = Array::from<double>({-4.0 / 3, 7.0 / 6}, {2}),
              variance = Array::from<double>({158.0 / 9, 821.0 / 36}, {2});
  if (std::string(op) == "batch_norm")
    return {op, "relu", {x, gamma, beta}, attrs(true), normalised(true)};
  return {op,
          "relu",
          {random_values({6, 2}, 5), x, mean, variance, gamma, beta},
          attrs(true),
          gradient(true)};
}

const AddCases cases(batch_norm_cases(),
                     {{"batch_norm",
                       "gamma",
                       {{DType::float32, {4, 3}}, {DType::float32, {2}}, {DType::float32, {3}}},
                       attrs(false),
                       "for each channel"}});
OpCase with_residual_and_relu() {
  OpCase both = with_relu("batch_norm");
  both.name = "residual_relu";
  both.attrs.set("residual", int64_t{1});
  both.inputs.push_back(Array::from<double>({1, 2, -3, 4, 1, 2, -3, 4, -1, 2, 3, -4}, {6, 2}));
  return both;
}

const AddCases relu_cases({with_relu("batch_norm"), with_relu("batch_norm_grad"),
                           with_residual_and_relu()});

}  // namespace
}  // namespace stoker::testing
