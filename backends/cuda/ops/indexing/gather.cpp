#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Rows of one table or of several by the same indices; an index out of range reads a row of zeros,
// or of NaN where an embedding asks for that. Each table has blocks of its own and is copied in the
// largest units that divide its rows and that it is aligned to, or comes as halves.
namespace stoker::cuda {
namespace {

const char* const copy_text = R"cuda({vectors}
typedef {index} row_index_t;
constexpr bool nan_outside = {nan_outside};
// What an index out of range reads. All bits set is a NaN in every floating-point format.
template <class U> __device__ __forceinline__ U missing_unit() {{ return nan_outside ? U(~U(0)) : U(0); }}
template <> __device__ __forceinline__ int4 missing_unit<int4>() {{
  const int word = nan_outside ? -1 : 0;
  int4 unit;
  unit.x = unit.y = unit.z = unit.w = word;
  return unit;
}}
template <class U, class S, int64_t row_bytes> __device__ __forceinline__ void copy_unit(const char* table,
    const row_index_t* indices, char* out, int64_t rows, int64_t count, unsigned int block) {{
  constexpr S units = row_bytes / sizeof(U);
  const S t = S(block) * 256 + S(threadIdx.x);
  if (t >= S(count) * units) return;
  const S r = t / units, u = t % units;
  const int64_t at = indices[r];
  U x = missing_unit<U>();
  if (at >= 0 && at < rows) x = reinterpret_cast<const U*>(table + at * row_bytes)[u];
  reinterpret_cast<U*>(out)[t] = x;
}}
template <class S, int64_t row_bytes> __device__ __forceinline__ void copy_rows(const char* table,
    const row_index_t* indices, char* out, int64_t rows, int64_t count, int unit, unsigned int block) {{
  if (unit == 16) copy_unit<int4, S, row_bytes>(table, indices, out, rows, count, block);
  else if (unit == 8) copy_unit<uint64_t, S, row_bytes>(table, indices, out, rows, count, block);
  else if (unit == 4) copy_unit<uint32_t, S, row_bytes>(table, indices, out, rows, count, block);
  else copy_unit<uint8_t, S, row_bytes>(table, indices, out, rows, count, block);
}}
template <int n, class T, class S, int64_t row_bytes> __device__ __forceinline__ void narrow_unit(
    const char* table, const row_index_t* indices, char* out, int64_t rows, int64_t count, unsigned int block) {{
  constexpr S units = row_bytes / (4 * n);
  const S t = S(block) * 256 + S(threadIdx.x);
  if (t >= S(count) * units) return;
  const S r = t / units, u = t % units;
  const int64_t at = indices[r];
  Vec<float, n> x;
  if (at >= 0 && at < rows) x = reinterpret_cast<const Vec<float, n>*>(table + at * row_bytes)[u];
  else for (int i = 0; i < n; ++i) x.at[i] = nan_outside ? NAN_F : 0.0f;
  Vec<T, n> y;
  for (int i = 0; i < n; ++i) y.at[i] = store<T>(x.at[i]);
  reinterpret_cast<Vec<T, n>*>(out)[t] = y;
}}
// unit: bytes of what is read.
template <class T, class S, int64_t row_bytes> __device__ __forceinline__ void narrow_rows(const char* table,
    const row_index_t* indices, char* out, int64_t rows, int64_t count, int unit, unsigned int block) {{
  if (unit == 16) narrow_unit<4, T, S, row_bytes>(table, indices, out, rows, count, block);
  else narrow_unit<1, T, S, row_bytes>(table, indices, out, rows, count, block);
}}
)cuda";

struct Table {
  int64_t rows, row_bytes;
  DType to;
  bool narrows;
  std::string function() const {
    return narrows ? fmt::format("narrow_rows<{}, ", type_name(to)) : "copy_rows<";
  }
};

// gather(indices, count, then table, out, rows, unit, end block of each)
std::string text_for(const std::vector<Table>& tables, DType index, int64_t count,
                     bool nan_outside) {
  std::string parameters, calls;
  for (size_t i = 0; i < tables.size(); ++i) {
    parameters += fmt::format(
        ", const char* table{0}, char* out{0}, int64_t rows{0}, int unit{0}, unsigned int end{0}",
        i);
    calls += fmt::format(
        "  if (blockIdx.x < end{0})\n    return {4}{1}, {2}>(table{0}, indices, out{0}, "
        "rows{0}, count, unit{0}, blockIdx.x - {3});\n",
        i, index_name(count * tables[i].row_bytes), tables[i].row_bytes,
        i == 0 ? "0" : fmt::format("end{}", i - 1), tables[i].function());
  }
  return fmt::format(fmt::runtime(copy_text), fmt::arg("vectors", vector_helpers),
                     fmt::arg("index", type_name(index)), fmt::arg("nan_outside", nan_outside)) +
         fmt::format(
             "extern \"C\" __global__ void __launch_bounds__(256)\ngather(const "
             "row_index_t* indices, int64_t count{}) {{\n{}}}\n",
             parameters, calls);
}

int unit_for(const Table& t, const void* table, const void* out) {
  if (t.narrows)
    return t.row_bytes % 16 == 0 && is_aligned(table, 16) && is_aligned(out, 8) ? 16 : 4;
  for (const int unit : {16, 8, 4})
    if (t.row_bytes % unit == 0 && is_aligned(table, unit) && is_aligned(out, unit)) return unit;
  return 1;
}

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
    const DType to = node.out[i].dtype;
    tables.push_back({rows_to_gather_from(shape), product(shape, 1, shape.rank()) * bytes, to,
                      to != node.in[i].dtype});
  }
  const int64_t count = indices.shape.size();
  const bool all_empty = std::all_of(tables.begin(), tables.end(),
                                     [&](const Table& t) { return count * t.row_bytes == 0; });
  if (all_empty) return do_nothing();
  const auto function =
      make_function(text_for(tables, indices.dtype, count, node.flag("nan_outside")), "gather");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    auto arguments = arguments_for(tables, count, a);
    int64_t n = count;
    std::vector<void*> pointers{const_cast<void**>(&a[tables.size()]), &n};
    for (Argument& one : arguments)
      pointers.insert(pointers.end(), {&one.table, &one.out, &one.rows, &one.unit, &one.end});
    encoder.launch_with(*function, {.blocks = arguments.back().end}, pointers.data());
  });
}

const RegisterKernel one{"gather", "rows", optimised, plan};
const RegisterKernel many{"gather_many", "rows", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
