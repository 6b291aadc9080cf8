#include <bit>

#include "ops/support.h"

// Rows, or parts of long ones, are sorted by a block in shared memory; launch after launch then
// merges two neighbouring parts into one. What is sorted are pairs of an element as an unsigned
// number and its position: no two are equal, so any order of work gives the same result.
namespace stoker::cuda {
namespace {

const char* const key_text = R"cuda(
__device__ __forceinline__ uint32_t key_of(int32_t x) { return uint32_t(x) ^ 0x80000000u; }
__device__ __forceinline__ uint64_t key_of(int64_t x) { return uint64_t(x) ^ 0x8000000000000000ull; }
// What is no number is the largest, and -0 is 0.
__device__ __forceinline__ uint32_t key_of(float x) {
  const uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0xffffffffu;
  return bits > 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ uint64_t key_of(double x) {
  const uint64_t bits = __double_as_longlong(x);
  if ((bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull) return 0xffffffffffffffffull;
  return bits > 0x8000000000000000ull ? ~bits : bits | 0x8000000000000000ull;
}
)cuda";

const char* const narrow_text = R"cuda(
typedef uint32_t ordered_t;
typedef uint64_t pair_t;
__device__ __forceinline__ pair_t pair_of(ordered_t key, uint32_t position) { return uint64_t(key) << 32 | position; }
__device__ __forceinline__ uint32_t position_of(pair_t pair) { return uint32_t(pair); }
__device__ __forceinline__ bool comes_before(pair_t a, pair_t b) { return a < b; }
)cuda";

const char* const wide_text = R"cuda(
typedef uint64_t ordered_t;
struct pair_t { ordered_t key; uint32_t position; };
__device__ __forceinline__ pair_t pair_of(ordered_t key, uint32_t position) { return pair_t{key, position}; }
__device__ __forceinline__ uint32_t position_of(const pair_t& pair) { return pair.position; }
__device__ __forceinline__ bool comes_before(const pair_t& a, const pair_t& b) {
  return a.key < b.key || (a.key == b.key && a.position < b.position);
}
)cuda";

// A bitonic network per part, several parts to a block where they are short. What a part lacks is
// filled with pairs that come after all others.
const char* const sort_text = R"cuda(
struct Slot { int64_t row, at; };
__device__ __forceinline__ Slot slot_of(int s, int64_t length) {
  const int64_t parts = (length + PART - 1) / PART, part = blockIdx.x * int64_t(TILE / PART) + s / PART;
  return {part / parts, part % parts * PART + s % PART};
}

extern "C" __global__ void __launch_bounds__(THREADS)
sort_parts(const element_t* in, element_t* values, int32_t* positions, pair_t* pairs, int64_t rows, int64_t length) {
  __shared__ pair_t tile[TILE];
  for (int s = threadIdx.x; s < TILE; s += THREADS) {
    const Slot slot = slot_of(s, length);
    ordered_t key = ~ordered_t(0);
    if (slot.row < rows && slot.at < length) {
      const ordered_t rising = key_of(load(in[slot.row * length + slot.at]));
      key = DESCENDING ? ~rising : rising;
    }
    tile[s] = pair_of(key, uint32_t(slot.at));
  }
  for (int run = 2; run <= PART; run *= 2)
    for (int apart = run / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < TILE / 2; t += THREADS) {
        const int low = 2 * t - (t & (apart - 1)), high = low + apart;
        const bool falls = low & run & (PART - 1);
        const pair_t a = tile[low], b = tile[high];
        if (comes_before(b, a) != falls) {
          tile[low] = b;
          tile[high] = a;
        }
      }
    }
  __syncthreads();
  for (int s = threadIdx.x; s < TILE; s += THREADS) {
    const Slot slot = slot_of(s, length);
    if (slot.row >= rows || slot.at >= length) continue;
    const int64_t begin = slot.row * length;
    if (WHOLE) {
      const uint32_t position = position_of(tile[s]);
      positions[begin + slot.at] = position;
      values[begin + slot.at] = in[begin + position];
    } else {
      pairs[begin + slot.at] = tile[s];
    }
  }
}

// Where element `at` of a row goes when its run and the neighbour are merged: past those before it in
// its own run and those of the other that come before it.
__device__ __forceinline__ int64_t merged_place(const pair_t* row, int64_t at, int64_t length, int64_t run) {
  const int64_t begin = at / (2 * run) * (2 * run);
  const int64_t middle = min(begin + run, length), end = min(middle + run, length);
  const bool first = at < middle;
  int64_t low = first ? middle : begin, high = first ? end : middle;
  const int64_t other = low;
  const pair_t mine = row[at];
  while (low < high) {
    const int64_t half = (low + high) / 2;
    if (comes_before(row[half], mine)) low = half + 1;
    else high = half;
  }
  return (first ? at : begin + at - middle) + (low - other);
}
extern "C" __global__ void __launch_bounds__(256)
merge_runs(const pair_t* from, pair_t* to, int64_t size, int64_t length, int64_t run) {
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t begin = i / length * length;
  to[begin + merged_place(from + begin, i - begin, length, run)] = from[i];
}
extern "C" __global__ void __launch_bounds__(256)
merge_last(const pair_t* from, const element_t* in, element_t* values, int32_t* positions, int64_t size, int64_t length,
           int64_t run) {
  const int64_t i = blockIdx.x * int64_t(256) + threadIdx.x;
  if (i >= size) return;
  const int64_t begin = i / length * length, to = begin + merged_place(from + begin, i - begin, length, run);
  const uint32_t position = position_of(from[i]);
  positions[to] = position;
  values[to] = in[begin + position];
}
)cuda";

constexpr int64_t shared_bytes = 32768;

struct Layout {
  int64_t rows, length, pair_bytes;
  int64_t longest() const { return shared_bytes / pair_bytes; }  // part
  int64_t part() const {
    const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)));
    return std::min(whole, longest());
  }
  int64_t tile() const { return std::max<int64_t>(part(), 512); }
  int64_t threads() const { return std::min<int64_t>(tile() / 2, 1024); }
  int64_t parts() const { return (length + part() - 1) / part() * rows; }
  int64_t size() const { return rows * length; }
  bool is_whole() const { return length <= part(); }
};

std::string text_for(const Layout& layout, DType dtype, bool descending) {
  const bool wide = size_of(dtype) == 8;
  return fmt::format(
             "typedef {} element_t;\nconstexpr int TILE = {}, PART = {}, THREADS = {};\n"
             "constexpr bool DESCENDING = {}, WHOLE = {};  // a part is a whole row\n",
             type_name(dtype), layout.tile(), layout.part(), layout.threads(), descending,
             layout.is_whole()) +
         key_text + (wide ? wide_text : narrow_text) + sort_text;
}

LaunchShape sorting_shape(const Layout& layout) {
  return {.blocks = blocks_for(layout.parts(), layout.tile() / layout.part()),
          .threads = static_cast<unsigned int>(layout.threads())};
}

std::unique_ptr<Kernel> plan_short(const Layout& layout, const std::string& text) {
  const auto sorting = make_function(text, "sort_parts");
  return make_kernel({sorting}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*sorting, sorting_shape(layout), a[0], a[1], a[2], static_cast<void*>(nullptr),
                   layout.rows, layout.length);
  });
}

// Pairs go to and fro between the halves of the workspace.
std::unique_ptr<Kernel> plan_long(const Layout& layout, const std::string& text) {
  const auto sorting = make_function(text, "sort_parts"),
             merging = make_function(text, "merge_runs"),
             ending = make_function(text, "merge_last");
  const int64_t size = layout.size(), length = layout.length, bytes = size * layout.pair_bytes;
  return make_kernel(
      {sorting, merging, ending},
      [=](Encoder& encoder, void* const* a, void* workspace) {
        void *from = workspace, *to = static_cast<char*>(workspace) + bytes;
        encoder.launch(*sorting, sorting_shape(layout), a[0], a[1], a[2], from, layout.rows,
                       length);
        const LaunchShape shape{.blocks = blocks_for(size)};
        int64_t run = layout.part();
        for (; 2 * run < length; run *= 2) {
          encoder.launch(*merging, shape, from, to, size, length, run);
          std::swap(from, to);
        }
        encoder.launch(*ending, shape, from, a[0], a[1], a[2], size, length, run);
      },
      2 * static_cast<uint64_t>(bytes));
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const TensorType& x = node.in[0];
  if (x.shape.size() == 0) return do_nothing();
  const Layout layout{rows_of(x.shape), x.shape.back(), size_of(x.dtype) == 8 ? 16 : 8};
  const std::string text = text_for(layout, x.dtype, node.flag("descending"));
  return layout.is_whole() ? plan_short(layout, text) : plan_long(layout, text);
}

const RegisterKernel sort{"sort", "parts", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
