#include "ops/infer.h"

namespace stoker::ops {
namespace {

constexpr int most_weights = 256;

// adam_update of several weights at once. Inputs: weight, m, v and gradient of each, then the step
// size. A gradient may have more rows than its weight: their sum is used (a bias's gradient is the
// sum over all samples). Outputs: weight, m, v of each. Added by passes; no gradient.
OutTypes infer_adam_update_many(Types in, const Attrs&) {
  expect(in.size() % 4 == 1 && in.size() > 4 && in.size() <= 4 * most_weights + 1,
         fmt::format("takes 4 inputs per weight and a step size, got {}.", in.size()));
  expect_same_dtype(in);
  expect(in.back().shape.size() == 1, "needs a scalar step size.");
  OutTypes out;
  for (size_t w = 0; w + 1 < in.size(); w += 4) {
    const Shape& weight = in[w].shape;
    expect(in[w + 1].shape == weight && in[w + 2].shape == weight,
           fmt::format("moments {} and {} do not fit the weight {}.", to_string(in[w + 1].shape),
                       to_string(in[w + 2].shape), to_string(weight)));
    const int64_t size = weight.size(), gradient = in[w + 3].shape.size();
    expect(size > 0 && gradient >= size && gradient % size == 0,
           fmt::format("a gradient {} does not fit the weight {}.", to_string(in[w + 3].shape),
                       to_string(weight)));
    out.insert(out.end(), {in[w], in[w + 1], in[w + 2]});
  }
  return out;
}

std::vector<int> places() {
  std::vector<int> inputs;
  for (int w = 0; w < most_weights; ++w)
    for (int i = 0; i < 3; ++i) inputs.push_back(4 * w + i);
  return inputs;
}

double flops_adam_update_many(Types in, Types, const Attrs&) {
  double total = 0;
  for (size_t w = 0; w + 1 < in.size(); w += 4)
    total += 12.0 * static_cast<double>(in[w].shape.size()) +
             static_cast<double>(in[w + 3].shape.size());
  return total;
}

const RegisterOp registered{{.name = "adam_update_many",
                             .infer = infer_adam_update_many,
                             .flops = flops_adam_update_many,
                             .in_place = places()}};

}  // namespace
}  // namespace stoker::ops
