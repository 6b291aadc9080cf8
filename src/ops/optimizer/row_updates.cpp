#include "ops/infer.h"

// Sparse updates of a table's rows by an embedding's gradient: values and the rows they belong to,
// with possible duplicates. The dense gradient is never computed. Added by passes; no gradient.
namespace stoker::ops {
namespace {

void expect_values(const TensorType& table, const TensorType& values, const TensorType& indices) {
  expect(is_integer(indices.dtype),
         fmt::format("needs integer indices, got {}.", name_of(indices.dtype)));
  expect(values.dtype == table.dtype, fmt::format("values of {} do not fit a table of {}.",
                                                  name_of(values.dtype), name_of(table.dtype)));
  auto expected = indices.shape.dims();
  const Shape row = table.shape.drop_front();
  expected.insert(expected.end(), row.begin(), row.end());
  expect(values.shape == Shape(expected),
         fmt::format("values {} do not fit indices {} and rows {}.", to_string(values.shape),
                     to_string(indices.shape), to_string(row)));
}

// Subtracts the values from their rows. Inputs: table, values, indices.
OutTypes infer_subtract(Types in, const Attrs&) {
  expect_inputs(in, 3);
  expect_values(in[0], in[1], in[2]);
  return {in[0]};
}

// adam_update with the rows' sums. Inputs: weight, m, v, values, step size, indices.
OutTypes infer_adam(Types in, const Attrs&) {
  expect_inputs(in, 6);
  expect_same_dtype(in.subspan(0, 5));
  for (size_t i = 1; i < 3; ++i)
    expect(in[i].shape == in[0].shape, fmt::format("{} does not fit the weight {}.",
                                                   to_string(in[i].shape), to_string(in[0].shape)));
  expect_values(in[0], in[3], in[5]);
  expect(in[4].shape.size() == 1, "needs a scalar step size.");
  return {in[0], in[1], in[2]};
}

double count_of(const TensorType& type) { return static_cast<double>(type.shape.size()); }

const RegisterOp subtract_op{
    {.name = "subtract_rows",
     .infer = infer_subtract,
     .flops = [](Types in, Types, const Attrs&) { return count_of(in[1]); },
     .in_place = {0}}};

const RegisterOp adam_op{
    {.name = "adam_update_rows",
     .infer = infer_adam,
     .flops = [](Types in, Types, const Attrs&) { return 12 * count_of(in[0]) + count_of(in[3]); },
     .in_place = {0, 1, 2}}};

}  // namespace
}  // namespace stoker::ops
