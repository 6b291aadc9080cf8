#include "graph/graph.h"
#include "ops/infer.h"

// Matrix products with fused epilogues. Added by passes; no gradient.
namespace stoker::ops {
namespace {

TensorType product_type(Types in, const Attrs& attrs) {
  expect(in.size() >= 2, fmt::format("takes at least 2 inputs, got {}.", in.size()));
  return graph::infer_types(graph::find_op("matmul"), in.subspan(0, 2), attrs)[0];
}

double product_flops(Types in, Types, const Attrs& attrs) {
  const int64_t k = in[0].shape[attrs.flag("transpose_a") ? 0 : 1];
  return 2.0 * static_cast<double>(product_type(in, attrs).shape.size()) * static_cast<double>(k);
}

// activation(a·b + bias) where mask > 0, else 0. Inputs: a, b, then bias and mask if their
// attributes are set.
const RegisterOp fused_matmul{
    {.name = "fused_matmul",
     .infer =
         [](Types in, const Attrs& attrs) {
           const TensorType out = product_type(in, attrs);
           expect_inputs(in, 2u + attrs.flag("bias") + attrs.flag("mask"));
           if (attrs.flag("bias"))
             expect(in[2].shape.size() == out.shape[1],
                    fmt::format("a bias {} does not fit a product {}.", to_string(in[2].shape),
                                to_string(out.shape)));
           if (attrs.flag("mask"))
             expect(in.back() == out, fmt::format("a mask {} does not fit a product {}.",
                                                  to_string(in.back()), to_string(out)));
           return OutTypes{out};
         },
     .flops = product_flops}};

// The states from `first` on must have the gradient's shape; the product may be float16 or
// bfloat16.
void expect_states(Types in, size_t first, const TensorType& gradient) {
  const TensorType& weight = in[first];
  expect(weight.dtype == gradient.dtype ||
             (weight.dtype == DType::float32 && size_of(gradient.dtype) == 2),
         fmt::format("a gradient {} does not fit {}.", to_string(gradient), to_string(weight)));
  for (size_t i = first; i < first + 3; ++i)
    expect(in[i].shape == gradient.shape && in[i].dtype == weight.dtype,
           fmt::format("a gradient {} does not fit {}.", to_string(gradient), to_string(in[i])));
}

double adam_flops(Types in, Types out, const Attrs& attrs) {
  return product_flops(in, out, attrs) + 12.0 * static_cast<double>(in[2].shape.size());
}

// adam_update whose gradient is a·b. Inputs: a, b, weight, m, v, step size.
const RegisterOp matmul_adam{{.name = "matmul_adam",
                              .infer =
                                  [](Types in, const Attrs& attrs) {
                                    expect_inputs(in, 6);
                                    expect_states(in, 2, product_type(in, attrs));
                                    expect(in[5].shape.size() == 1, "needs a scalar step size.");
                                    return OutTypes{in[2], in[3], in[4]};
                                  },
                              .flops = adam_flops,
                              .in_place = {2, 3, 4}}};

// The same plus the update of a bias whose gradient is the sum of b's rows. Inputs: a, b, weight,
// m, v, step size, bias and its m and v.
const RegisterOp matmul_adam_bias{
    {.name = "matmul_adam_bias",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 9);
           const TensorType gradient = product_type(in, attrs);
           expect_states(in, 2, gradient);
           expect(in[5].shape.size() == 1, "needs a scalar step size.");
           expect(!attrs.flag("transpose_b"), "sums the rows of a b that is not transposed.");
           expect_states(in, 6, {gradient.dtype, Shape{gradient.shape[1]}});
           expect(in[6].dtype == in[2].dtype, "needs a weight and a bias of one type.");
           return OutTypes{in[2], in[3], in[4], in[6], in[7], in[8]};
         },
     .flops = adam_flops,
     .in_place = {2, 3, 4, 6, 7, 8}}};

}  // namespace
}  // namespace stoker::ops
