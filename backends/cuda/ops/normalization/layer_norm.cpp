#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// One row per warp or block.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 256;

struct Layout {
  int64_t rows, columns, element_bytes, width, lanes, blocks;
  bool is_double;
  double epsilon;
  DType dtype, column_dtype, row_dtype;

  KernelSource source(const char* file) const {
    return KernelSource(file)
        .type("element_t", dtype)
        .type("column_t", column_dtype)
        .type("row_t", row_dtype)
        .constant("width", width)
        .constant("lanes", lanes)
        .constant("columns", columns)
        .constant("rows", rows);
  }
  LaunchShape shape() const {
    return {.blocks = static_cast<unsigned int>(blocks),
            .threads = static_cast<unsigned int>(threads)};
  }
  int aligned(std::initializer_list<void*> tensors) const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](void* p) { return is_aligned(p, width * element_bytes); });
  }
};

bool serves(const TensorType& x, std::string& refusal) {
  constexpr int64_t most_columns = 16384;  // in the registers of a block
  if (x.shape.back() > most_columns)
    refusal = fmt::format("takes up to {} columns, got {}", most_columns, x.shape.back());
  return refusal.empty() && !refuse_non_floats(x.dtype, refusal);
}

Layout layout(const NodeView& node, const TensorType& x, const TensorType& column,
              const TensorType& row) {
  constexpr int64_t worth_a_block = 2048;
  Layout l;
  l.rows = rows_of(x.shape);
  l.columns = x.shape.back();
  l.element_bytes = static_cast<int64_t>(size_of(x.dtype));
  l.width = 16 / l.element_bytes;
  while (l.columns % l.width != 0) l.width /= 2;
  l.lanes = l.columns >= worth_a_block ? threads : lanes_for_row(l.columns / l.width);
  const int64_t at_once = threads / l.lanes;
  l.blocks = std::clamp<int64_t>(ceil_div(l.rows, at_once), 1,
                                 4 * std::max(1, current_gpu().multiprocessors));
  l.is_double = x.dtype == DType::float64;
  l.epsilon = node.number("epsilon");
  l.dtype = x.dtype;
  l.column_dtype = column.dtype;
  l.row_dtype = row.dtype;
  return l;
}

// x, gamma, beta → y, mean, 1 / standard deviation
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[0], refusal)) return nullptr;
  if (node.in[0].shape.size() == 0) return do_nothing();
  const Layout l = layout(node, node.in[0], node.in[1], node.out[1]);
  const auto normalise =
      make_function(l.source("normalization/layer_norm_forward.cuh"), "normalise");
  return make_kernel({normalise}, [=](Encoder& encoder, void* const* a, void*) {
    const int aligned = l.aligned({a[0], a[3]});
    if (l.is_double)
      encoder.launch(*normalise, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], aligned, l.epsilon);
    else
      encoder.launch(*normalise, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], aligned,
                     static_cast<float>(l.epsilon));
  });
}

// dy, x, mean, 1 / standard deviation, gamma → dx, dgamma, dbeta
std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  if (!serves(node.in[1], refusal)) return nullptr;
  if (node.in[1].shape.size() == 0) refusal = "the input is empty";
  if (!refusal.empty()) return nullptr;
  const Layout l = layout(node, node.in[1], node.in[4], node.in[2]);
  const std::string text = l.source("normalization/layer_norm_backward.cuh");
  const auto differentiate = make_function(text, "differentiate"),
             join = make_function(text, "join");
  const LaunchShape columns{.blocks = static_cast<unsigned int>(ceil_div(2 * l.columns, 8))};
  return make_kernel(
      {differentiate, join},
      [=](Encoder& encoder, void* const* a, void* parts) {
        encoder.launch(*differentiate, l.shape(), a[0], a[1], a[2], a[3], a[4], a[5], parts,
                       l.aligned({a[0], a[1], a[5]}));
        encoder.launch(*join, columns, parts, static_cast<int>(l.blocks), a[6], a[7]);
      },
      static_cast<uint64_t>(l.blocks * 2 * l.columns * (l.is_double ? 8 : 4)));
}

const RegisterKernel forward{"layer_norm", "rows", optimised, plan_forward};
const RegisterKernel backward{"layer_norm_grad", "rows", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cuda
