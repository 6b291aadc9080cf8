#include "stoker/ops/random.h"

#include "distribution/slice.h"
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

// The random numbers for the rows of a slice are those of the same rows of the global batch:
// independent of the number of ranks. Tensors of another length than the slice are the same on all
// ranks.
int64_t elements_before(const Shape& shape) {
  const distribution::Slice* const slice = distribution::current_slice();
  if (!slice || shape.rank() == 0 || shape[0] % slice->here != 0) return 0;
  if (slice->here == 1 && shape[0] != 1) return 0;
  return slice->first * (shape.size() / slice->here);
}

// Attributes: seed; offset, the index of the first element, absent for 0.
Tensor draw(const char* op, const Shape& shape, uint64_t seed, const Tensor& counter) {
  graph::Attrs attrs{{"shape", shape.dims()}, {"seed", static_cast<int64_t>(seed)}};
  if (const int64_t before = elements_before(shape)) attrs.set("offset", before);
  return graph::emit1(op, {counter}, attrs);
}

}  // namespace

Tensor random_uniform(const Shape& shape, uint64_t seed, const Tensor& counter) {
  return draw("random_uniform", shape, seed, counter);
}
Tensor random_normal(const Shape& shape, uint64_t seed, const Tensor& counter) {
  return draw("random_normal", shape, seed, counter);
}

}  // namespace stoker::ops
