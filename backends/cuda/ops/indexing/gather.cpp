#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Gathers rows of one table or several by the same indices; an index out of range reads zeros, or
// NaN for an embedding. Each table has its own blocks and is copied in the largest units that its
// row size and alignment allow, or converted to float16 or bfloat16.
namespace stoker::cuda {
namespace {

struct Table {
  int64_t rows, row_bytes;
  DType from, to;
};

// TABLES and the properties of each table, for kernels/indexing/gather.cuh.
KernelSource source_for(const std::vector<Table>& tables, DType index, int64_t count,
                        bool nan_outside) {
  std::vector<int64_t> row_bytes;
  std::vector<int> narrowed_to, is_large;
  for (const Table& table : tables) {
    row_bytes.push_back(table.row_bytes);
    narrowed_to.push_back(table.to == table.from ? 0 : table.to == DType::float16 ? 1 : 2);
    is_large.push_back(needs_64_bits(count * table.row_bytes));
  }
  return KernelSource("indexing/gather.cuh")
      .type("row_index_t", index)
      .constant("nan_outside", nan_outside)
      .constant("TABLES", tables.size())
      .list("ROW_BYTES", row_bytes)
      .list("NARROWED_TO", narrowed_to)
      .list("IS_LARGE", is_large);
}

int unit_for(const Table& t, const void* table, const void* out) {
  if (t.to != t.from)
    return t.row_bytes % 16 == 0 && is_aligned(table, 16) && is_aligned(out, 8) ? 16 : 4;
  for (const int unit : {16, 8, 4})
    if (t.row_bytes % unit == 0 && is_aligned(table, unit) && is_aligned(out, unit)) return unit;
  return 1;
}

// Matches `Table` in the kernel file.
struct Argument {
  void *table, *out;
  int64_t rows;
  int unit;
  unsigned int end;
};

std::vector<Argument> arguments_for(const std::vector<Table>& tables, int64_t count,
                                    void* const* a) {
  std::vector<Argument> arguments;
  unsigned int end = 0;
  for (size_t i = 0; i < tables.size(); ++i) {
    void* const out = a[tables.size() + 1 + i];
    const int unit = unit_for(tables[i], a[i], out);
    const int64_t units = count * tables[i].row_bytes / unit;
    end += units == 0 ? 0 : blocks_for(units);
    arguments.push_back({a[i], out, tables[i].rows, unit, end});
  }
  return arguments;
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const TensorType& indices = node.in.back();
  if (refuse_non_indices(indices.dtype, refusal)) return nullptr;
  std::vector<Table> tables;
  for (size_t i = 0; i + 1 < node.in.size(); ++i) {
    const Shape& shape = node.in[i].shape;
    const int64_t bytes = static_cast<int64_t>(size_of(node.in[i].dtype));
    tables.push_back({rows_to_gather_from(shape), product(shape, 1, shape.rank()) * bytes,
                      node.in[i].dtype, node.out[i].dtype});
  }
  const int64_t count = indices.shape.size();
  const bool all_empty = std::all_of(tables.begin(), tables.end(),
                                     [&](const Table& t) { return count * t.row_bytes == 0; });
  if (all_empty) return do_nothing();
  const auto function =
      make_function(source_for(tables, indices.dtype, count, node.flag("nan_outside")), "gather");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    auto arguments = arguments_for(tables, count, a);
    int64_t n = count;
    void* parameters[] = {const_cast<void**>(&a[tables.size()]), &n, arguments.data()};
    encoder.launch_with(*function, {.blocks = arguments.back().end}, parameters);
  });
}

const RegisterKernel one{"gather", "rows", optimised, plan};
const RegisterKernel many{"gather_many", "rows", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
