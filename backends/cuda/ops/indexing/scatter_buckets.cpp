#include "ops/indexing/row_buckets.h"

// scatter_add into large tables, such as the gradient of an embedding.
namespace stoker::cuda {
namespace {

constexpr int64_t worth_it = 4096;  // rows times values; below, all indices are scanned

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype, index = node.in[1].dtype;
  const Shape& out = node.out[0].shape;
  const int64_t rows = out[0], width = product(out, 1, out.rank()), count = node.in[1].shape.size();
  if (refuse_non_indices(index, refusal) || refuse_non_floats(dtype, refusal)) return nullptr;
  if (rows * count < worth_it || width == 0 || count >= int64_t{1} << 31) {
    refusal = "for large tables";
    return nullptr;
  }
  const RowBuckets buckets(rows, count, index);
  const auto adding =
      make_function(rows_source("indexing/scatter_buckets.cuh", dtype, index), "add_values");
  auto functions = buckets.functions();
  functions.push_back(adding);
  return make_kernel(
      std::move(functions),
      [=](Encoder& encoder, void* const* a, void* workspace) {
        const auto found = buckets.encode(encoder, a[1], workspace);
        encoder.launch(*adding, shape_for_rows(rows, width), a[0], a[1], found.counts, found.ends,
                       found.places, a[2], count, width);
      },
      buckets.workspace());
}

const RegisterKernel scatter{"scatter_add", "buckets", specialised, plan};

}  // namespace
}  // namespace stoker::cuda
