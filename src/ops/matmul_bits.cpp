#include "graph/graph.h"
#include "ops/infer.h"

// A layer's relu as bits: what passes back through it reads one bit for an activation instead of
// the activation. Passes make these; they have no gradient.
namespace stoker::ops {
namespace {

// A row of bits is padded to 128, the lowest bit of a byte first.
TensorType bits_of(const TensorType& product) {
  return {DType::uint8, Shape{product.shape[0], (product.shape[1] + 127) / 128 * 16}};
}

TensorType product_type(Types in, const Attrs& attrs) {
  expect_inputs(in, 3);
  return graph::infer_types(graph::find_op("matmul"), in.subspan(0, 2), attrs)[0];
}

double flops(Types in, Types out, const Attrs& attrs) {
  const int64_t k = in[0].shape[attrs.flag("transpose_a") ? 0 : 1];
  return 2.0 * static_cast<double>(out[0].shape.size()) * static_cast<double>(k);
}

// relu(a·b + bias), and where it is positive. Inputs: a, b, bias.
const RegisterOp matmul_relu_bits{{.name = "matmul_relu_bits",
                                   .infer =
                                       [](Types in, const Attrs& attrs) {
                                         const TensorType out = product_type(in, attrs);
                                         expect(in[2].shape.size() == out.shape[1],
                                                fmt::format("a bias {} does not fit a product {}.",
                                                            to_string(in[2].shape),
                                                            to_string(out.shape)));
                                         return OutTypes{out, bits_of(out)};
                                       },
                                   .flops = flops}};

// a·b where the bit is set, else 0. Inputs: a, b, bits.
const RegisterOp matmul_where_bits{{.name = "matmul_where_bits",
                                    .infer =
                                        [](Types in, const Attrs& attrs) {
                                          const TensorType out = product_type(in, attrs);
                                          expect(in[2] == bits_of(out),
                                                 fmt::format("bits {} do not fit a product {}.",
                                                             to_string(in[2]), to_string(out)));
                                          return OutTypes{out};
                                        },
                                    .flops = flops}};

}  // namespace
}  // namespace stoker::ops
