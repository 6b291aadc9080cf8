#include "ops/infer.h"

namespace stoker::ops {
namespace {

// softmax_head fused with the layer that computes the logits, h·w + bias, and the gradient with
// respect to h; with attribute `mask` only where h > 0, as behind a relu. Inputs: labels, h, w,
// bias, scale. Outputs: loss, hits, the logits' gradient and its sum over the samples, h's
// gradient. Added by passes.
OutTypes infer_dense_softmax_head(Types in, const Attrs&) {
  expect_inputs(in, 5);
  expect_float(in[1]);
  const Shape &h = in[1].shape, &w = in[2].shape;
  expect(h.rank() == 2 && w.rank() == 2 && h[1] == w[0] && in[0].shape == Shape{h[0]},
         fmt::format("labels {} and inputs {} do not fit weights {}.", to_string(in[0].shape),
                     to_string(h), to_string(w)));
  const DType dtype = in[1].dtype;
  for (size_t i : {2u, 3u}) expect(in[i].dtype == dtype, "needs inputs of one type.");
  expect(in[3].shape.size() == w[1] && in[4].shape.size() == 1 && in[4].dtype == sum_type(dtype),
         "needs a bias and one scale.");
  return {{sum_type(dtype), Shape{}},
          {DType::float32, Shape{}},
          {dtype, Shape{h[0], w[1]}},
          {dtype, Shape{w[1]}},
          in[1]};
}

const RegisterOp registered{{.name = "dense_softmax_head",
                             .infer = infer_dense_softmax_head,
                             .flops = [](Types in, Types, const Attrs&) {
                               return 4.0 *
                                      static_cast<double>(in[1].shape.size() * in[2].shape[1]);
                             }}};

}  // namespace
}  // namespace stoker::ops
