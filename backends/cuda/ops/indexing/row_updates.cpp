#include "ops/indexing/row_buckets.h"

// Steps of an embedding's table by values and their rows: a block has a row. Outputs may lie on
// their inputs: a thread reads an element before it writes it.
namespace stoker::cuda {
namespace {

const char* const subtract_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
subtract_rows(const element_t* values, const index_t* indices, const int* counts, const int* ends, const int* places,
              element_t* table, int64_t count, int64_t width) {
  const RowValues row(values, indices, counts, ends, places, blockIdx.x, count, width);
  if (row.here == 0) return;
  for (int64_t column = threadIdx.x; column < width; column += blockDim.x) {
    element_t& at = table[blockIdx.x * width + column];
    at = store<element_t>(load(at) - row.sum(column));
  }
}
)cuda";

// Keras's formula, as adam_update has it: rows without values are stepped, too.
const char* const adam_text = R"cuda(
struct States {{ element_t *weight, *m, *v, *new_weight, *new_m, *new_v; }};

extern "C" __global__ void __launch_bounds__(256)
adam_update_rows(const element_t* values, const index_t* indices, const int* counts, const int* ends, const int* places,
                 const __grid_constant__ States s, const element_t* step, int64_t count, int64_t width) {{
  const value_t take_m = value_t({take_m}), take_v = value_t({take_v}), small = value_t({epsilon});
  const RowValues row(values, indices, counts, ends, places, blockIdx.x, count, width);
  const value_t step_size = load(step[0]);
  for (int64_t column = threadIdx.x; column < width; column += blockDim.x) {{
    const int64_t i = blockIdx.x * width + column;
    const value_t slope = row.sum(column), old_m = load(s.m[i]), old_v = load(s.v[i]);
    const value_t m = old_m + (slope - old_m) * take_m, v = old_v + (slope * slope - old_v) * take_v;
    s.new_weight[i] = store<element_t>(load(s.weight[i]) - m * step_size / (sqrt{f}(v) + small));
    s.new_m[i] = store<element_t>(m);
    s.new_v[i] = store<element_t>(v);
  }}
}}
)cuda";

struct Problem {
  DType dtype, index;
  int64_t rows, width, count;
};

// False with a refusal where no kernel here serves it.
bool read(const NodeView& node, size_t indices, Problem& p, std::string& refusal) {
  const Shape& table = node.in[0].shape;
  p = {node.in[0].dtype, node.in[indices].dtype, table[0], product(table, 1, table.rank()),
       node.in[indices].shape.size()};
  if (refuse_non_indices(p.index, refusal) || refuse_non_floats(p.dtype, refusal)) return false;
  if (p.count < int64_t{1} << 31) return true;
  refusal = "for fewer than 2^31 values";
  return false;
}

std::unique_ptr<Kernel> plan_subtract(const NodeView& node, std::string& refusal) {
  Problem p{};
  if (!read(node, 2, p, refusal)) return nullptr;
  const uint64_t bytes = static_cast<uint64_t>(node.in[0].bytes());
  if (bytes == 0) return do_nothing();
  const RowBuckets buckets(p.rows, p.count, p.index);
  const auto subtracting = make_function(
      row_types_text(p.dtype, p.index) + row_values_text + subtract_text, "subtract_rows");
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
  const auto stepping = make_function(
      row_types_text(p.dtype, p.index) + row_values_text +
          fmt::format(fmt::runtime(adam_text), fmt::arg("f", p.dtype == DType::float64 ? "" : "f"),
                      fmt::arg("take_m", fmt::format("{:.17g}", 1 - node.number("beta_1"))),
                      fmt::arg("take_v", fmt::format("{:.17g}", 1 - node.number("beta_2"))),
                      fmt::arg("epsilon", fmt::format("{:.17g}", node.number("epsilon")))),
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
