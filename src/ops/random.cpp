#include "stoker/ops/random.h"

#include "graph/emit.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

OutTypes infer_random(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  expect(in[0].dtype == DType::int64 && in[0].shape.size() == 1,
         "needs an int64 scalar as counter.");
  return {{DType::float32, Shape(attrs.integers("shape"))}};
}

double flops_random(Types, Types out, const Attrs&) {
  return 20.0 * static_cast<double>(out[0].shape.size());
}

const RegisterOp uniform_op{
    {.name = "random_uniform", .infer = infer_random, .flops = flops_random}};
const RegisterOp normal_op{{.name = "random_normal", .infer = infer_random, .flops = flops_random}};

Tensor draw(const char* op, const Shape& shape, uint64_t seed, const Tensor& counter) {
  return graph::emit1(op, {counter},
                      {{"shape", shape.dims()}, {"seed", static_cast<int64_t>(seed)}});
}

}  // namespace

Tensor random_uniform(const Shape& shape, uint64_t seed, const Tensor& counter) {
  return draw("random_uniform", shape, seed, counter);
}
Tensor random_normal(const Shape& shape, uint64_t seed, const Tensor& counter) {
  return draw("random_normal", shape, seed, counter);
}

}  // namespace stoker::ops
