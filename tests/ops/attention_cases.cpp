#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

struct Sizes {
  int64_t count, queries, keys, size, values;
};
constexpr double scale = 0.7;

// The weights of query i: softmax over its unmasked keys; over all if all are masked.
std::vector<double> weights(const std::vector<Array>& in, const Sizes& s, bool causal,
                            const Array* mask, int64_t n, int64_t i) {
  std::vector<double> row;
  double sum = 0;
  bool any = false;
  const auto sees = [&](int64_t j) {
    if (causal && j > i) return false;
    if (!mask) return true;
    const int64_t rows = mask->shape()[1], which = n * mask->shape()[0] / s.count;
    return mask->at((which * rows + (rows == 1 ? 0 : i)) * s.keys + j) != 0;
  };
  for (int64_t j = 0; j < s.keys; ++j) any = any || sees(j);
  for (int64_t j = 0; j < s.keys; ++j) {
    double score = 0;
    for (int64_t d = 0; d < s.size; ++d)
      score += in[0].at((n * s.queries + i) * s.size + d) * in[1].at((n * s.keys + j) * s.size + d);
    row.push_back(!any ? 1 : sees(j) ? std::exp(scale * score) : 0);
    sum += row.back();
  }
  for (double& weight : row) weight /= sum;
  return row;
}

// Scores of large heads are sums of many products: small ones, or they would lose float32's
// precision.
double largest(const Sizes& s) { return s.size < 64 ? 1 : 0.5; }

OpCase forward(const std::string& name, const Sizes& s, bool causal, const Array* mask = nullptr) {
  const double most = largest(s);
  std::vector<Array> inputs{random_values({s.count, s.queries, s.size}, 1, -most, most),
                            random_values({s.count, s.keys, s.size}, 2, -most, most),
                            random_values({s.count, s.keys, s.values}, 3, -most, most)};
  if (mask) inputs.push_back(*mask);
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(s.count * s.queries * s.values, [&](int64_t at) {
      const int64_t d = at % s.values, i = at / s.values % s.queries, n = at / s.values / s.queries;
      const auto row = weights(in, s, causal, in.size() > 3 ? &in[3] : nullptr, n, i);
      double sum = 0;
      for (int64_t j = 0; j < s.keys; ++j)
        sum += row[static_cast<size_t>(j)] * in[2].at((n * s.keys + j) * s.values + d);
      return sum;
    });
  };
  return {"attention",
          name,
          inputs,
          {{"scale", scale}, {"causal", int64_t{causal}}, {"masked", int64_t{mask != nullptr}}},
          plain};
}

// The log-sum-exp of each query.
Array logarithms_of(const std::vector<Array>& in, const Sizes& s, bool causal) {
  const auto values = from_index(s.count * s.queries, [&](int64_t at) {
    const int64_t i = at % s.queries, n = at / s.queries;
    double first = 0;
    for (int64_t d = 0; d < s.size; ++d)
      first += in[0].at(at * s.size + d) * in[1].at(n * s.keys * s.size + d);
    return scale * first - std::log(weights(in, s, causal, nullptr, n, i)[0]);
  });
  return Array::from(values, {s.count, s.queries});
}

// Compares kernels with each other; the cases above verify the gradients. If a mask may hide all
// keys, the log-sum-exps are chosen so that the weights are below one.
OpCase backward(const std::string& name, const Sizes& s, bool causal, const Array* mask = nullptr) {
  OpCase one = forward(name, s, causal, mask);
  one.op = "attention_grad";
  one.plain = nullptr;
  const Array constant = Array::from(
      std::vector<double>(static_cast<size_t>(s.count * s.queries), 3.0), {s.count, s.queries});
  const Array logarithms = mask ? constant : logarithms_of(one.inputs, s, causal);
  one.inputs.insert(
      one.inputs.begin() + 3,
      {random_values({s.count, s.queries, s.values}, 4, -largest(s), largest(s)), logarithms,
       random_values({s.count, s.queries, s.values}, 5, -largest(s), largest(s))});
  return one;
}

Array mask_of(const Shape& shape, std::vector<double> values) {
  return Array::from(std::move(values), shape).astype(DType::boolean);
}
const Array padding = mask_of({2, 1, 5}, {1, 1, 1, 0, 0, 1, 0, 1, 1, 1});
const Array full = mask_of({1, 3, 5}, {1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1});

const AddCases cases(
    {forward("plain", {2, 3, 5, 4, 6}, false), forward("causal", {2, 5, 5, 4, 3}, true),
     forward("padding", {4, 3, 5, 2, 3}, false, &padding),
     forward("hidden_row", {2, 3, 5, 2, 3}, false, &full),
     forward("causal_masked", {4, 3, 5, 2, 3}, true, &padding),
     forward("one", {1, 1, 1, 1, 1}, false), forward("blocks", {1, 70, 67, 8, 5}, true),
     forward("tiles", {2, 70, 67, 16, 32}, false),
     forward("tiles_causal", {1, 67, 70, 32, 16}, true),
     forward("tiles_hidden_row", {2, 3, 5, 16, 32}, false, &full),
     forward("groups", {1, 66, 70, 64, 64}, true),
     forward("groups_large", {1, 3, 66, 128, 128}, false),
     forward("groups_padding", {4, 3, 5, 64, 64}, true, &padding),
     forward("groups_hidden_row", {2, 3, 5, 64, 64}, false, &full)},
    {{"attention",
      "sizes",
      {{DType::float32, {2, 3, 4}}, {DType::float32, {2, 5, 3}}, {DType::float32, {2, 5, 6}}},
      {},
      "do not fit"}});
const AddCases gradients({backward("plain", {2, 3, 5, 4, 6}, false),
                          backward("causal", {2, 5, 5, 4, 3}, true),
                          backward("padding", {4, 3, 5, 2, 3}, false, &padding),
                          backward("blocks", {1, 70, 67, 8, 5}, true),
                          backward("tiles", {2, 70, 67, 16, 32}, false),
                          backward("tiles_causal", {1, 67, 70, 32, 16}, true),
                          backward("tiles_padding", {4, 3, 5, 16, 32}, true, &padding),
                          backward("groups", {2, 130, 134, 64, 64}, true),
                          backward("groups_long", {1, 5, 200, 64, 64}, false),
                          backward("groups_large", {1, 70, 67, 128, 128}, true),
                          backward("groups_padding", {4, 3, 5, 64, 64}, true, &padding),
                          backward("groups_hidden_row", {2, 3, 5, 64, 64}, false, &full)});

}  // namespace
}  // namespace stoker::testing
