#include <bit>

#include "core/round_up.h"
#include "ops/support.h"

// Long rows are sorted in parts, which are then merged.
namespace stoker::cuda {
namespace {

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
  int64_t parts() const { return ceil_div(length, part()) * rows; }
  int64_t size() const { return rows * length; }
  bool is_whole() const { return length <= part(); }
};

std::string source_for(const Layout& layout, DType dtype, bool descending) {
  return KernelSource("reduce/sort.cuh")
      .type("element_t", dtype)
      .macro("WIDE_KEYS", size_of(dtype) == 8)
      .constant("TILE", layout.tile())
      .constant("PART", layout.part())
      .constant("THREADS", layout.threads())
      .constant("DESCENDING", descending)
      .constant("WHOLE", layout.is_whole());
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

// The two halves of the workspace are a double buffer for the pairs.
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
  const std::string text = source_for(layout, x.dtype, node.flag("descending"));
  return layout.is_whole() ? plan_short(layout, text) : plan_long(layout, text);
}

const RegisterKernel sort{"sort", "parts", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
