#include "core/round_up.h"
#include "ops/support.h"

// Softmax and cross-entropy over the last axis: a few lanes, a warp or a block per row.
namespace stoker::cuda {
namespace {

// How the rows are distributed over threads.
struct Rows {
  int64_t rows, classes, lanes, per_block, blocks;
};

Rows rows_for(const Shape& shape) {
  constexpr int64_t threads = 256, worth_a_block = 4096;
  const int64_t classes = shape.back();
  const int64_t lanes = classes >= worth_a_block ? threads : lanes_for_row(classes);
  const int64_t rows = rows_of(shape), per_block = threads / lanes;
  return {rows, classes, lanes, per_block, ceil_div(rows, per_block)};
}

std::unique_ptr<Kernel> plan_rows(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in[0].shape.size() == 0) return do_nothing();
  const Rows rows = rows_for(node.in[0].shape);
  const bool logarithm = node.op == "log_softmax";
  const auto function = make_function(
      KernelSource(logarithm ? "normalization/log_softmax.cuh" : "normalization/softmax.cuh")
          .type("element_t", dtype)
          .constant("lanes", rows.lanes),
      logarithm ? "log_softmax" : "softmax");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = static_cast<unsigned int>(rows.blocks)}, a[0], a[1],
                   rows.rows, rows.classes);
  });
}

std::unique_ptr<Kernel> plan_sparse(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in[1].shape.size() == 0) return do_nothing();
  const Rows rows = rows_for(node.in[1].shape);
  const auto function = make_function(KernelSource("normalization/cross_entropy.cuh")
                                          .type("element_t", dtype)
                                          .type("label_t", label)
                                          .constant("lanes", rows.lanes),
                                      "cross_entropy");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = static_cast<unsigned int>(rows.blocks)}, a[0], a[1], a[2],
                   rows.rows, rows.classes);
  });
}

std::unique_ptr<Kernel> plan_sparse_grad(const NodeView& node, std::string& refusal) {
  const DType label = node.in[0].dtype, dtype = node.in[1].dtype;
  if (refuse_non_indices(label, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  const int64_t size = node.in[1].shape.size(), classes = node.in[1].shape.back();
  if (size == 0) return do_nothing();
  const auto function = make_function(KernelSource("normalization/cross_entropy_grad.cuh")
                                          .type("element_t", dtype)
                                          .type("label_t", label),
                                      "cross_entropy_grad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = blocks_for(size)}, a[0], a[1], a[2], a[3], size, classes);
  });
}

const RegisterKernel softmax{"softmax", "lanes", optimised, plan_rows};
const RegisterKernel log_softmax{"log_softmax", "lanes", optimised, plan_rows};
const RegisterKernel sparse{"sparse_softmax_cross_entropy", "lanes", optimised, plan_sparse};
const RegisterKernel sparse_grad{"sparse_softmax_cross_entropy_grad", "elements", optimised,
                                 plan_sparse_grad};

}  // namespace
}  // namespace stoker::cuda
