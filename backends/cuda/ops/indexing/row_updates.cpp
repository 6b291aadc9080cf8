#include "ops/indexing/row_buckets.h"

// Sparse updates of an embedding's table by values and their rows: one block per row. Outputs may
// alias their inputs: a thread reads an element before it writes it.
namespace stoker::cuda {
namespace {

struct Problem {
  DType dtype, index;
  int64_t rows, width, count;
};

// False with a refusal if no kernel here supports it.
bool read(const NodeView& node, size_t indices, Problem& p, std::string& refusal) {
  const Shape& table = node.in[0].shape;
  p = {node.in[0].dtype, node.in[indices].dtype, table[0], product(table, 1, table.rank()),
       node.in[indices].shape.size()};
  if (refuse_non_indices(p.index, refusal) || refuse_non_floats(p.dtype, refusal)) return false;
  if (p.count < int64_t{1} << 31) return true;
  refusal = "supports fewer than 2^31 values";
  return false;
}

std::unique_ptr<Kernel> plan_subtract(const NodeView& node, std::string& refusal) {
  Problem p{};
  if (!read(node, 2, p, refusal)) return nullptr;
  const uint64_t bytes = static_cast<uint64_t>(node.in[0].bytes());
  if (bytes == 0) return do_nothing();
  const RowBuckets buckets(p.rows, p.count, p.index);
  const auto subtracting =
      make_function(rows_source("indexing/subtract_rows.cuh", p.dtype, p.index), "subtract_rows");
  auto functions = buckets.functions();
  functions.push_back(subtracting);
  return make_kernel(
      std::move(functions),
      [=](Encoder& encoder, void* const* a, void* workspace) {
        if (a[0] != a[3]) encoder.copy(a[3], a[0], bytes);
        if (p.count == 0) return;
        const auto found = buckets.encode(encoder, a[2], workspace);
        encoder.launch(*subtracting, shape_for_rows(p.rows, p.width), a[1], a[2], found.counts,
                       found.ends, found.places, a[3], p.count, p.width);
      },
      buckets.workspace());
}

std::unique_ptr<Kernel> plan_adam(const NodeView& node, std::string& refusal) {
  Problem p{};
  if (!read(node, 5, p, refusal)) return nullptr;
  if (node.in[0].shape.size() == 0) return do_nothing();
  const RowBuckets buckets(p.rows, p.count, p.index);
  const auto stepping = make_function(rows_source("indexing/adam_update_rows.cuh", p.dtype, p.index)
                                          .constant("TAKE_M", 1 - node.number("beta_1"))
                                          .constant("TAKE_V", 1 - node.number("beta_2"))
                                          .constant("EPSILON", node.number("epsilon")),
                                      "adam_update_rows");
  struct States {
    void *weight, *m, *v, *new_weight, *new_m, *new_v;
  };
  auto functions = buckets.functions();
  functions.push_back(stepping);
  return make_kernel(
      std::move(functions),
      [=](Encoder& encoder, void* const* a, void* workspace) {
        const auto found = buckets.encode(encoder, a[5], workspace);
        encoder.launch(*stepping, shape_for_rows(p.rows, p.width), a[3], a[5], found.counts,
                       found.ends, found.places, States{a[0], a[1], a[2], a[6], a[7], a[8]}, a[4],
                       p.count, p.width);
      },
      buckets.workspace());
}

const RegisterKernel subtract{"subtract_rows", "buckets", optimised, plan_subtract};
const RegisterKernel adam{"adam_update_rows", "buckets", optimised, plan_adam};

}  // namespace
}  // namespace stoker::cuda
