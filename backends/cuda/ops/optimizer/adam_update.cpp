#include <algorithm>

#include "ops/layout_text.h"
#include "ops/support.h"

// Adam's step by Keras's formula, for one weight or for many in one launch: a table of pointers
// travels with the arguments. A gradient of several rows is summed on the way. Outputs may lie on
// their inputs: a thread reads all of its elements before it writes any.
namespace stoker::cuda {
namespace {

constexpr int64_t threads = 256, per_block = 1024, tile_columns = 32, most_entries = 40;

// Mirrored in the text. A weight's blocks are `tiles` times `parts`, from `first_block` on.
struct Entry {
  void *weight, *m, *v, *gradient, *new_weight, *new_m, *new_v;
  int64_t size, rows;
  int32_t first_block, parts, first_group, whole;
};
struct Table {
  Entry at[most_entries];
};

const char* const text = R"cuda({vectors}{last_block}
typedef {type} element_t;
typedef Compute<element_t>::type value_t;
struct Entry {{
  element_t *weight, *m, *v, *gradient, *new_weight, *new_m, *new_v;
  int64_t size, rows;
  int32_t first_block, parts, first_group, whole;
}};
struct Table {{ Entry at[40]; }};

template <int n> __device__ __forceinline__ void update(const Entry& e, int64_t i, const value_t (&slopes)[n],
                                                       value_t step) {{
  const value_t take_m = value_t({take_m}), take_v = value_t({take_v}), small = value_t({epsilon});
  auto w = load_vector<n>(e.weight + i), a = load_vector<n>(e.m + i), b = load_vector<n>(e.v + i);
  for (int k = 0; k < n; ++k) {{
    const value_t slope = slopes[k];
    const value_t am = load(a.at[k]) + (slope - load(a.at[k])) * take_m;
    const value_t bv = load(b.at[k]) + (slope * slope - load(b.at[k])) * take_v;
    w.at[k] = store<element_t>(load(w.at[k]) - am * step / (sqrt{f}(bv) + small));
    a.at[k] = store<element_t>(am);
    b.at[k] = store<element_t>(bv);
  }}
  store_vector<n>(e.new_weight + i, w);
  store_vector<n>(e.new_m + i, a);
  store_vector<n>(e.new_v + i, b);
}}
template <int n> __device__ __forceinline__ void update_plain(const Entry& e, int64_t i, value_t step) {{
  const auto g = load_vector<n>(e.gradient + i);
  value_t slopes[n];
  for (int k = 0; k < n; ++k) slopes[k] = load(g.at[k]);
  update<n>(e, i, slopes, step);
}}

// 32 columns and 8 rows at a time; the rows' sums come together in shared memory.
__device__ __forceinline__ value_t add_rows(value_t sum, int x, int y) {{
  __shared__ value_t held[8][33];
  __syncthreads();
  held[y][x] = sum;
  __syncthreads();
  value_t total = held[0][x];
  for (int r = 1; r < 8; ++r) total += held[r][x];
  return total;
}}
__device__ __forceinline__ void update_summed(const Entry& e, int block, value_t* parts, value_t step) {{
  const int x = threadIdx.x % 32, y = threadIdx.x / 32, part = block % e.parts, tile = block / e.parts;
  const int64_t column = int64_t(tile) * 32 + x, share = (e.rows + e.parts - 1) / e.parts;
  const int64_t begin = part * share, end = begin + share < e.rows ? begin + share : e.rows;
  value_t sum = 0;
  if (column < e.size) {{
#pragma unroll 4
    for (int64_t r = begin + y; r < end; r += 8) sum += load(e.gradient[r * e.size + column]);
  }}
  sum = add_rows(sum, x, y);
  if (e.parts > 1) {{
    value_t* group = parts + int64_t(e.first_group + tile) * {most_parts} * 32 + x;
    if (y == 0) group[part * 32] = sum;
    if (!is_last_block(e.first_group + tile, e.parts)) return;
    sum = 0;
    for (int p = y; p < e.parts; p += 8) sum += ((volatile value_t*)group)[p * 32];
    sum = add_rows(sum, x, y);
  }}
  if (y > 0 || column >= e.size) return;
  const value_t slope[1] = {{sum}};
  update<1>(e, column, slope, step);
}}

extern "C" __global__ void __launch_bounds__(256)
adam_update(const __grid_constant__ Table table, int count, const element_t* step, value_t* parts) {{
  int at = 0;
  while (at + 1 < count && int(blockIdx.x) >= table.at[at + 1].first_block) ++at;
  const Entry& e = table.at[at];
  const int block = int(blockIdx.x) - e.first_block;
  const value_t step_size = load(step[0]);
  if (e.rows > 1) return update_summed(e, block, parts, step_size);
  const int64_t begin = block * int64_t(1024);
  if (e.whole && begin + 1024 <= e.size) {{
    for (int i = threadIdx.x * {width}; i < 1024; i += 256 * {width}) update_plain<{width}>(e, begin + i, step_size);
  }} else {{
    for (int64_t i = begin + threadIdx.x; i < e.size && i < begin + 1024; i += 256)
      update_plain<1>(e, i, step_size);
  }}
}}
)cuda";

constexpr int64_t most_parts = 32;

struct Weight {
  int64_t size, rows, parts, tiles, first_group;
};

// Rows are shared by several blocks where one alone would read for long.
std::vector<Weight> weights_of(const NodeView& node) {
  std::vector<Weight> weights;
  int64_t groups = 0;
  for (size_t w = 0; w + 1 < node.in.size(); w += 4) {
    const int64_t size = node.in[w].shape.size(), rows = node.in[w + 3].shape.size() / size;
    if (rows == 1) {
      weights.push_back({size, 1, 1, (size + per_block - 1) / per_block, 0});
      continue;
    }
    const int64_t tiles = (size + tile_columns - 1) / tile_columns;
    const bool splits = groups + tiles <= most_split_groups;
    weights.push_back({size, rows, splits ? std::clamp<int64_t>(rows / 128, 1, most_parts) : 1,
                       tiles, splits ? groups : 0});
    if (splits) groups += tiles;
  }
  return weights;
}

class AdamKernel : public Kernel {
 public:
  AdamKernel(const NodeView& node, std::shared_ptr<Function> function, int64_t width)
      : function_(std::move(function)),
        weights_(weights_of(node)),
        align_bytes_(width * static_cast<int64_t>(size_of(node.in[0].dtype))) {
    functions = {function_};
    int64_t groups = 0;
    for (const Weight& w : weights_)
      if (w.parts > 1) groups = std::max(groups, w.first_group + w.tiles);
    const int64_t value_bytes = node.in[0].dtype == DType::float64 ? 8 : 4;
    workspace = static_cast<uint64_t>(groups * most_parts * tile_columns * value_bytes);
  }

  void encode(Encoder& encoder, void* const* arguments, void* scratch) override {
    for (size_t first = 0; first < weights_.size(); first += most_entries)
      encode_some(encoder, arguments, scratch, first);
  }

 private:
  void encode_some(Encoder& encoder, void* const* a, void* scratch, size_t first) const {
    const size_t count = std::min<size_t>(most_entries, weights_.size() - first);
    void* const* out = a + 4 * weights_.size() + 1;
    Table table{};
    int64_t blocks = 0;
    for (size_t i = 0; i < count; ++i) {
      const Weight& w = weights_[first + i];
      void *const *in = a + 4 * (first + i), *const *to = out + 3 * (first + i);
      Entry& e = table.at[i];
      e = {in[0],
           in[1],
           in[2],
           in[3],
           to[0],
           to[1],
           to[2],
           w.size,
           w.rows,
           static_cast<int32_t>(blocks),
           static_cast<int32_t>(w.parts),
           static_cast<int32_t>(w.first_group),
           1};
      for (const void* p : {in[0], in[1], in[2], in[3], to[0], to[1], to[2]})
        if (!is_aligned(p, align_bytes_)) e.whole = 0;
      blocks += w.tiles * w.parts;
    }
    encoder.launch(*function_, {.blocks = static_cast<unsigned int>(blocks)}, table,
                   static_cast<int>(count), a[4 * weights_.size()], scratch);
  }

  std::shared_ptr<Function> function_;
  std::vector<Weight> weights_;
  int64_t align_bytes_;
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in.size() % 4 != 1) {
    refusal = fmt::format("takes 4 tensors a weight and a step size, not {}", node.in.size());
    return nullptr;
  }
  if (node.in[0].shape.size() == 0) return do_nothing();
  const int64_t width = std::min<int64_t>(4, 16 / static_cast<int64_t>(size_of(dtype)));
  auto function = make_function(
      fmt::format(fmt::runtime(text), fmt::arg("vectors", vector_helpers),
                  fmt::arg("last_block", last_block_helpers), fmt::arg("type", type_name(dtype)),
                  fmt::arg("width", width), fmt::arg("most_parts", most_parts),
                  fmt::arg("f", dtype == DType::float64 ? "" : "f"),
                  fmt::arg("take_m", fmt::format("{:.17g}", 1 - node.number("beta_1"))),
                  fmt::arg("take_v", fmt::format("{:.17g}", 1 - node.number("beta_2"))),
                  fmt::arg("epsilon", fmt::format("{:.17g}", node.number("epsilon")))),
      "adam_update");
  return std::make_unique<AdamKernel>(node, std::move(function), width);
}

const RegisterKernel one{"adam_update", "table", optimised, plan};
const RegisterKernel many{"adam_update_many", "table", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
